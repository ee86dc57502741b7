"""What the tests share: the project's own network, and a photo."""

import pytest
from material import CAT, GRAPH, LABELS


@pytest.fixture
def ct():
    import thaw

    return thaw


@pytest.fixture(scope="session")
def model():
    """The project's network for CIFAR-10, converted; tests do not change it."""
    import thaw

    return thaw.convert(GRAPH, classifier_config=thaw.ClassifierConfig(LABELS))


@pytest.fixture
def photo():
    """A PIL image of 32x32 pixels."""
    from PIL import Image

    return Image.open(CAT).convert("RGB").resize((32, 32))
