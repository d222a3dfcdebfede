"""Compare tensors of two runs by the fingerprints that the probes took."""

from executor.protocol import Fingerprint


def same_values(a: Fingerprint, b: Fingerprint, tolerance: float = 1e-4) -> bool:
    """Whether two fingerprints are of equal tensors, up to rounding."""
    if a.shape != b.shape:
        return False
    room = tolerance * max(a.norm, b.norm) + 1e-7
    pairs = zip((a.norm, *a.projections), (b.norm, *b.projections), strict=True)
    return all(abs(x - y) <= room or x == y for x, y in pairs)
