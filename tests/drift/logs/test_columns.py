import numpy as np

from assay.drift.logs.columns import LogColumns


def test_events_are_coded_in_the_order_in_which_names_first_come() -> None:
    columns = LogColumns()
    columns.cases = {"first": 0, "second": 1}
    columns.add(0, "submit", 10, "Ann")
    columns.add(0, "pay", 30, None)
    columns.add(1, "pay", 20, "Ben")
    log = columns.log("trips", notes=["odd"])
    assert (log.cases, log.activities, log.resources) == (("first", "second"), ("submit", "pay"), ("Ann", "Ben"))
    np.testing.assert_array_equal(log.activity_codes, [0, 1, 1])
    assert log.resource_codes is not None
    np.testing.assert_array_equal(log.resource_codes, [0, -1, 1])
    assert log.notes == ("odd",)


def test_a_log_without_any_resource_has_no_such_column() -> None:
    columns = LogColumns()
    columns.cases = {"only": 0}
    columns.add(0, "submit", 10, None)
    assert columns.log("trips").resource_codes is None
