from __future__ import annotations

import numpy as np
import pytest

from assay.insight.published.floats import as_once_parsed

# text -> what pandas 2.2.2 read from it, as the bits of a double
ONCE = {
    "0.625095466604667": "0x1.400c8353e3ca9p-1",
    "0.8972138009695755": "0x1.cb5f9b795e4cdp-1",
    "0.7756856902451935": "0x1.8d26acbf2815fp-1",
    "0.22520718999059186": "0x1.cd396d5eab50ep-3",
    "0.30016628491122543": "0x1.335eca6438dd3p-2",
    "0.8735534453962619": "0x1.bf4265ae91f44p-1",
    "6014.3602597438485": "0x1.77e5c39fb89e5p+12",
    "134021.52455545336": "0x1.05c2c324a2129p+17",
    "-49220.651855132965": "-0x1.80894dbff4bbap+15",
    "-62047.48998199404": "-0x1.e4befadeeb801p+15",
    "3.0303242681931353e-10": "0x1.4d300b97922ccp-32",
    "2.7842561210077336e-10": "0x1.3221d7b9fd284p-32",
    "1.2345678901234568e-300": "0x1.a74fe1c1e8909p-997",
    "-0.30000000000000004": "-0x1.3333333333333p-2",
    "1.2345678901234566e+25": "0x1.46c993044fd54p+83",
}


@pytest.mark.parametrize(("text", "bits"), ONCE.items())
def test_numbers_come_out_as_pandas_2_read_them(text: str, bits: str) -> None:
    assert as_once_parsed(np.array([float(text)]))[0].hex() == bits


def test_some_of_them_are_not_what_the_text_says() -> None:
    assert sum(float(text).hex() != bits for text, bits in ONCE.items()) >= 3


def test_short_numbers_and_gaps_stay_what_they_are() -> None:
    values = np.array([0.1, 12507.52, -3.0, 1e300, np.nan, np.inf, -np.inf, 0.0])
    np.testing.assert_array_equal(as_once_parsed(values), values)


def test_shape_and_order_are_kept() -> None:
    values = np.random.default_rng(0).normal(size=(4, 5))
    parsed = as_once_parsed(values)
    assert parsed.shape == values.shape
    np.testing.assert_allclose(parsed, values, rtol=5e-16)
