"""The sums in the pages of the index's SQLite files (Sources/TextIndex/Files/PageSums.swift), for whoever changes one without framegrep."""
import struct


def total(page):
    """The sum of a page but for its last 8 bytes."""
    first = second = 0
    for low, high in struct.iter_unpack("<II", page[:-8]):
        first = (first + low + second) & 0xFFFFFFFF
        second = (second + high + first) & 0xFFFFFFFF
    return struct.pack("<II", first, second)


def seal(path):
    """Writes the sums of a file anew; one without sums stays as it is."""
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        if data[20] != 8: return
        size = int.from_bytes(data[16:18], "big")
        for start in range(0, len(data), size): data[start + size - 8:start + size] = total(data[start:start + size])
        file.seek(0)
        file.write(data)
