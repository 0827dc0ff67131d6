from tools.mixed_table import CLASSES, UNITS, mixed_table


def test_the_table_of_the_picture_is_mixed_and_has_twenty_features() -> None:
    table = mixed_table()
    features = table.drop(columns="outcome")
    assert features.shape[1] == 20
    assert 0.01 < features.isna().to_numpy().mean() < 0.05
    assert set(table["outcome"]) == set(CLASSES)
    assert UNITS.keys() <= set(features.columns)
    assert max(len(value) for value in features["insurance"].dropna()) > 40
