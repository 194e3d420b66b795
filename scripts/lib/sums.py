"""The sums in the pages of the index's SQLite files (Sources/Store/TextIndex/Files/PageSums.swift), for scripts that change one without framegrep."""
import struct


def total(page):
    """The sum of a page but for its last 8 bytes."""
    first = second = 0
    for low, high in struct.iter_unpack("<II", page[:-8]):
        first = (first + low + second) & 0xFFFFFFFF
        second = (second + high + first) & 0xFFFFFFFF
    return struct.pack("<II", first, second)


def seal(path, like=b""):
    """Writes the sums of a file anew; one without sums stays as it is. Of a damaged file, pages that are no pages stay too. Pages that are as in
    the bytes of another file have their sums already."""
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        if data[20] != 8: return
        # 1 is 65,536. A size that SQLite does not know has no pages.
        size = int.from_bytes(data[16:18], "big")
        if size == 1: size = 65536
        if size < 512 or size & (size - 1): return
        for start in range(0, len(data) // size * size, size):
            if data[start:start + size] != like[start:start + size]: data[start + size - 8:start + size] = total(data[start:start + size])
        file.seek(0)
        file.write(data)
