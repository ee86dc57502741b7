/// The stages that are neither networks nor pipelines, by kind.
enum Stages {
    static let all: [String: @Sendable (StageSource) throws -> any Stage] = [
        "arrayFeatureExtractor": { try ArrayFeatureExtractor($0) },
        "categoricalMapping": { try CategoricalMapping($0) },
        "dictVectorizer": { try DictVectorizer($0) },
        "featureVectorizer": { try FeatureVectorizer($0) },
        "identity": { try IdentityStage($0) },
        "imputer": { try Imputer($0) },
        "nonMaximumSuppression": { try NonMaximumSuppression($0) },
        "normalizer": { try Normalizer($0) },
        "oneHotEncoder": { try OneHotEncoder($0) },
        "scaler": { try Scaler($0) },
        "glmClassifier": { try ClassifierStage($0, LinearClassifier($0)) },
        "glmRegressor": { try RegressorStage($0, LinearRegressor($0)) },
        "kNearestNeighborsClassifier": { try ClassifierStage($0, NearestNeighbors($0)) },
        "supportVectorClassifier": { try ClassifierStage($0, SupportVectorClassifier($0)) },
        "supportVectorRegressor": { try RegressorStage($0, SupportVectorRegressor($0)) },
        "treeEnsembleClassifier": { try ClassifierStage($0, TreeClassifier($0)) },
        "treeEnsembleRegressor": { try RegressorStage($0, TreeRegressor($0)) },
    ]
}
