"""Two methods that give sets of classes; a change of last week spoiled the second."""

import numpy as np


def _threshold(probabilities, labels, alpha):
    """The largest probability that still keeps the truth of all but alpha of the calibration samples."""
    labelled = labels >= 0
    truth = np.sort(probabilities[labelled, labels[labelled]])
    return truth[int(np.floor(alpha * (len(truth) + 1)))]


def _sets(task, alpha):
    pairs = zip(task.calibration_probabilities, task.calibration_labels, strict=True)
    thresholds = [_threshold(probabilities, labels, alpha) for probabilities, labels in pairs]
    return [matrix >= level for matrix, level in zip(task.test_probabilities, thresholds, strict=True)]


def steady(task, budget):
    """As released."""
    return _sets(task, task.alpha / len(task.classes))


def released(task, budget):
    """The second method as it was released."""
    return _sets(task, task.alpha / len(task.classes))


def changed(task, budget):
    """The second method today: somebody halved alpha "to be safe", and the sets grew."""
    return _sets(task, task.alpha / len(task.classes) / 8)
