import pytest

from assay.insight.problem.tags import derive_tags


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "P70-Capacity Breach-variation_1-type_1a",
            {"generator": "logistic", "bias": "balanced", "variation": "1", "base": "P70-Capacity Breach"},
        ),
        (
            "P16-Anomaly-variation_12-type_2c",
            {"generator": "linear", "bias": "strong", "variation": "12", "base": "P16-Anomaly"},
        ),
        ("P5-Name-type_1b", {"generator": "logistic", "bias": "weak", "base": "P5-Name"}),
        ("P5-Name-variation_3", {"variation": "3", "base": "P5-Name"}),
        ("P5-Name-type_3a", {}),
        ("P5-Name-type_1ab", {}),
        ("variation_1", {}),
    ],
)
def test_the_folder_name_of_the_public_benchmark_tells_the_design(name: str, expected: dict[str, str]) -> None:
    assert derive_tags(name, {}) == expected


@pytest.mark.parametrize(("domain", "expected"), [("Retail ", {"domain": "Retail"}), ("", {}), (3, {}), (None, {})])
def test_the_domain_is_the_manifests(domain: object, expected: dict[str, str]) -> None:
    assert derive_tags("x", {"problem_domain": domain}) == expected
