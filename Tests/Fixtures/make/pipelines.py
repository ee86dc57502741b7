"""Writes the fixtures in `pipelines/`: models that coremltools makes of scikit-learn's and XGBoost's, with those
programs' outputs.

    pip install coremltools==9.0 scikit-learn==1.5.1 xgboost==1.4.2 "numpy<2"
    python Tests/Fixtures/make/pipelines.py

Those versions are the newest that coremltools converts. `NAME.mlmodel` goes with `NAME.jsonl`: a line for each row of data, with inputs
and outputs as `thaw run` reads and prints them. `pipelines.tsv` has the tolerance of each, and what the model is.
"""
import json
import os
import shutil
import warnings

import numpy as np
import xgboost
from coremltools import converters
from sklearn import datasets
from sklearn.ensemble import (GradientBoostingClassifier, GradientBoostingRegressor, RandomForestClassifier,
                              RandomForestRegressor)
from sklearn.feature_extraction import DictVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import pipelines_by_hand

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "pipelines")
ROWS = 12
EXACT = 1e-9
# XGBoost computes in float32.
SINGLE = 1e-5
# scikit-learn ends an iteration early that Core ML need not do for two classes.
COUPLING = 5e-3

warnings.filterwarnings("ignore")


def plain(value):
    """The value as JSON has it; NaN is null."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    if isinstance(value, (str, np.str_)):
        return str(value)
    if isinstance(value, (bool, int, np.integer)):
        return int(value)
    value = float(value)
    return None if np.isnan(value) else value


class Table:
    def __init__(self):
        self.rows = []

    def add(self, name, model, lines, tolerance, what):
        """`model` is a specification, `lines` are pairs of inputs and outputs."""
        texts = {json.dumps(plain(outputs)) for _, outputs in lines}
        if len(texts) < 2:
            raise ValueError(name + ": the outputs do not depend on the inputs")
        self.save_model(name, model, what, "%g" % tolerance)
        with open(os.path.join(FOLDER, name + ".jsonl"), "w") as file:
            for inputs, outputs in lines:
                file.write(json.dumps({"inputs": plain(inputs), "outputs": plain(outputs)}) + "\n")

    def save_model(self, name, model, what, tolerance="-"):
        """Without expected outputs: tests have their own."""
        with open(os.path.join(FOLDER, name + ".mlmodel"), "wb") as file:
            file.write(model.SerializeToString(deterministic=True))
        self.rows.append((name, tolerance, " ".join(what.split())))

    def save(self):
        lines = ["\t".join(row) for row in [("name", "tolerance", "what")] + sorted(self.rows)]
        with open(os.path.join(FOLDER, "pipelines.tsv"), "w") as file:
            file.write("\n".join(lines) + "\n")


def sampled(data):
    """Rows from all over the data."""
    return data[np.linspace(0, len(data) - 1, ROWS).astype(int)]


def scikit(table, name, model, data, target, tolerance=EXACT, samples=None, names=None, what=""):
    """Trains, converts and runs a model."""
    model.fit(data, target)
    samples = sampled(data) if samples is None else samples
    spec = converters.sklearn.convert(model, input_features=names or {"input": range(data.shape[1])}
                                      if isinstance(data, np.ndarray) else "input").get_spec()
    outputs = [feature.name for feature in spec.description.output]
    predictions = model.predict(samples)
    lines = []
    for index, row in enumerate(samples):
        inputs = dict(zip(names, row)) if names else {"input": row}
        expected = {outputs[0]: predictions[index]}
        if "classProbability" in outputs and hasattr(model, "predict_proba"):
            expected["classProbability"] = dict(zip(model.classes_, model.predict_proba(samples[index:index + 1])[0]))
        lines.append((inputs, expected))
    table.add(name, spec, lines, tolerance, what or str(model))


def classifiers(table):
    iris, wine, cancer, digits = (datasets.load_iris(), datasets.load_wine(), datasets.load_breast_cancer(),
                                  datasets.load_digits())
    species = iris.target_names[iris.target]
    names = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
    few = cancer.data[:, :8]

    def one_versus_rest():
        return LogisticRegression(multi_class="ovr", solver="liblinear", random_state=0)

    def scaled(model):
        return make_pipeline(StandardScaler(), model)

    scikit(table, "iris_logistic", scaled(one_versus_rest()), iris.data, species, names=names)
    scikit(table, "cancer_logistic", scaled(one_versus_rest()), few, cancer.target)
    scikit(table, "digits_logistic", one_versus_rest(), digits.data, digits.target)
    scikit(table, "wine_linear_svc", scaled(LinearSVC(random_state=0)), wine.data, wine.target)
    scikit(table, "cancer_linear_svc", scaled(LinearSVC(random_state=0)), few, cancer.target_names[cancer.target])
    scikit(table, "iris_svc", SVC(probability=True, random_state=0), iris.data, species)
    scikit(table, "wine_svc_poly", scaled(SVC(kernel="poly", degree=2, coef0=0.5)), wine.data[:, :6], wine.target)
    scikit(table, "iris_svc_sigmoid", scaled(SVC(kernel="sigmoid", coef0=0.1, gamma=0.3)), iris.data, iris.target)
    scikit(table, "cancer_svc_linear", scaled(SVC(kernel="linear", probability=True, random_state=0)), few[::4],
           cancer.target[::4], tolerance=COUPLING)
    scikit(table, "wine_nu_svc", scaled(NuSVC(nu=0.2, probability=True, random_state=0)), wine.data[:, :6], wine.target)
    scikit(table, "iris_tree", DecisionTreeClassifier(random_state=0), iris.data, species, names=names)
    scikit(table, "cancer_tree", DecisionTreeClassifier(max_depth=4, random_state=0), few, cancer.target)
    scikit(table, "wine_forest", RandomForestClassifier(n_estimators=5, max_depth=3, random_state=0), wine.data, wine.target)
    scikit(table, "cancer_forest", RandomForestClassifier(n_estimators=6, max_depth=3, random_state=0), few, cancer.target)
    scikit(table, "iris_boosting", GradientBoostingClassifier(n_estimators=4, max_depth=2, random_state=0), iris.data,
           iris.target)
    scikit(table, "cancer_boosting", GradientBoostingClassifier(n_estimators=6, max_depth=2, random_state=0), few,
           cancer.target)
    scikit(table, "iris_neighbors", KNeighborsClassifier(5, algorithm="brute"), iris.data[::2], iris.target[::2],
           samples=sampled(iris.data[1::2]))
    scikit(table, "wine_neighbors", scaled(KNeighborsClassifier(3, algorithm="kd_tree")), wine.data[::3], wine.target[::3],
           samples=sampled(wine.data[1::3]))
    for norm in ("l1", "l2", "max"):
        scikit(table, "wine_normalized_" + norm, make_pipeline(Normalizer(norm), one_versus_rest()), wine.data, wine.target)

    holes = iris.data.copy()
    holes[np.random.default_rng(0).random(holes.shape) < 0.2] = np.nan
    for strategy in ("mean", "median"):
        scikit(table, "iris_imputed_" + strategy,
               make_pipeline(SimpleImputer(strategy=strategy), StandardScaler(), one_versus_rest()), holes, species)
    zeros = np.nan_to_num(holes)
    scikit(table, "iris_imputed_zeros", make_pipeline(SimpleImputer(missing_values=0), one_versus_rest()), zeros, species)

    generator = np.random.default_rng(1)
    categories = np.stack([generator.integers(0, count, 60) for count in (3, 4, 2)], axis=1).astype(float)
    kinds = ((categories[:, 0] + categories[:, 1] + generator.integers(0, 2, 60)) % 3).astype(int)
    unseen = np.concatenate([sampled(categories), [[7.0, 0, 1]]])
    scikit(table, "one_hot", make_pipeline(OneHotEncoder(handle_unknown="ignore"), one_versus_rest()), categories, kinds,
           samples=unseen)

    words = [{"temperature": generator.uniform(10, 30), "city=" + city: 1}
             for city in generator.choice(["Dubai", "London", "Paris"], 40)]
    seasons = np.array(["summer" if row["temperature"] > 18 + 4 * ("city=Dubai" in row) else "winter" for row in words])
    samples = words[:8] + [{}, {"city=Rome": 1, "temperature": 25.0}]
    scikit(table, "dictionary", make_pipeline(DictVectorizer(), one_versus_rest()), words, seasons, samples=samples)


def regressors(table):
    diabetes = datasets.load_diabetes()
    data, target = diabetes.data[::3], diabetes.target[::3]
    few = data[:40]
    names = diabetes.feature_names
    scikit(table, "diabetes_linear", LinearRegression(), data, target, names=names)
    scikit(table, "diabetes_ridge", make_pipeline(StandardScaler(), Ridge(0.5)), data, target)
    scikit(table, "diabetes_normalized", make_pipeline(Normalizer("l2"), Ridge(0.5)), data, target)
    scikit(table, "diabetes_svr", make_pipeline(StandardScaler(), SVR(C=50)), few, target[:40])
    scikit(table, "diabetes_nu_svr", NuSVR(kernel="poly", degree=3, coef0=1, C=50), few, target[:40])
    scikit(table, "diabetes_linear_svr", make_pipeline(StandardScaler(), LinearSVR(random_state=0, C=10)), data, target)
    scikit(table, "diabetes_tree", DecisionTreeRegressor(max_depth=4, random_state=0), data, target, names=names)
    scikit(table, "diabetes_forest", RandomForestRegressor(n_estimators=4, max_depth=3, random_state=0), data, target)
    # Features between two thresholds that differ by less than float32 can tell, of rows that the trees have not seen.
    scikit(table, "diabetes_scaled_forest",
           make_pipeline(StandardScaler(), RandomForestRegressor(n_estimators=8, max_depth=8, random_state=0)),
           diabetes.data[::2], diabetes.target[::2], samples=sampled(diabetes.data[1::2]))
    scikit(table, "diabetes_boosting", GradientBoostingRegressor(n_estimators=6, max_depth=2, random_state=0), data, target)


def transformers(table):
    """Pipelines without a predictor."""
    data = sampled(datasets.load_wine().data[:, :5])
    for name, model in [("scaler", StandardScaler()), ("normalizer", Normalizer("l1")),
                        ("two_scalers", make_pipeline(StandardScaler(), Normalizer("l2")))]:
        model.fit(data)
        spec = converters.sklearn.convert(model, input_features={"input": range(5)}).get_spec()
        lines = [({"input": row}, {"transformed_features": model.transform([row])[0]}) for row in data]
        table.add("only_" + name, spec, lines, EXACT, str(model))


def boosters(table):
    """XGBoost's models, also with missing values."""
    iris, cancer, diabetes = datasets.load_iris(), datasets.load_breast_cancer(), datasets.load_diabetes()
    for name, model, data, target in [
            ("binary", xgboost.XGBClassifier(n_estimators=6, max_depth=3, use_label_encoder=False, eval_metric="logloss"),
             cancer.data[:, :8], cancer.target),
            ("classes", xgboost.XGBClassifier(n_estimators=4, max_depth=3, use_label_encoder=False, eval_metric="mlogloss"),
             iris.data, iris.target),
            ("regressor", xgboost.XGBRegressor(n_estimators=6, max_depth=3), diabetes.data, diabetes.target)]:
        data = data.copy()
        data[np.random.default_rng(2).random(data.shape) < 0.1] = np.nan
        model.fit(data, target)
        names = ["f%d" % index for index in range(data.shape[1])]
        is_classifier = name != "regressor"
        spec = converters.xgboost.convert(model, feature_names=names,
                                          mode="classifier" if is_classifier else "regressor").get_spec()
        samples = sampled(data)
        lines = []
        for index, row in enumerate(samples):
            expected = {"target": model.predict(samples)[index]}
            if is_classifier:
                expected["classProbability"] = dict(enumerate(model.predict_proba(samples)[index]))
            lines.append((dict(zip(names, row)), expected))
        table.add("xgboost_" + name, spec, lines, SINGLE, "XGBoost, with missing values")


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    everything = Table()
    for write in (classifiers, regressors, transformers, boosters, pipelines_by_hand.write):
        write(everything)
    everything.save()
