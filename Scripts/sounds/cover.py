"""Cover pictures: each piece's own notes as a piano roll on a soft ground, written as PNG."""

import math
import zlib

SIZE = 480

# Ground above and below, and the colours the parts take in turn.
SCHEMES = {
    "prelude": ((22, 30, 52), (46, 74, 112), [(244, 226, 186)]),
    "gymnopedie": (
        (38, 28, 48), (112, 76, 98),
        [(246, 200, 170), (200, 170, 190), (168, 140, 178), (140, 112, 150), (255, 240, 220)],
    ),
    "ode": (
        (52, 16, 20), (140, 48, 34),
        [(255, 214, 120), (222, 120, 70), (190, 92, 60), (240, 160, 96), (206, 128, 96),
         (255, 240, 190), (250, 190, 110), (255, 255, 236)],
    ),
    "greensleeves": (
        (14, 40, 34), (44, 104, 78),
        [(240, 240, 200), (158, 208, 150), (112, 170, 130), (250, 216, 140), (130, 190, 160),
         (96, 150, 120)],
    ),
}  # fmt: skip


def picture(scheme, pieces):
    """PNG bytes: time runs to the right, pitch upwards, louder notes are more opaque."""
    top, bottom, colours = SCHEMES[scheme]
    rows = []
    for y in range(SIZE):
        share = (y / (SIZE - 1)) ** 1.2
        rows.append([[a + (b - a) * share for a, b in zip(top, bottom)] for _ in range(SIZE)])
    notes, offset = [], 0.0
    for piece in pieces:
        for index, part in enumerate(piece.parts):
            for note in part.notes:
                start = offset + piece.second(note.start)
                end = offset + piece.second(note.start + note.length)
                notes.append((note.velocity, start, end, note.pitch, colours[index % len(colours)]))
        offset += max(piece.second(n.start + n.length) for p in piece.parts for n in p.notes)
    low, high = min(n[3] for n in notes), max(n[3] for n in notes)
    margin, inner = SIZE * 0.11, SIZE * 0.78
    lane = inner / (high - low + 1)
    for velocity, start, end, key, colour in sorted(notes):
        left, right = margin + inner * start / offset, margin + inner * end / offset
        middle = margin + lane * (high - key + 0.5)
        # Never so thin that the roll cannot be seen in a small picture, nor shorter than round.
        radius = max(SIZE * 0.0085, lane * 0.4)
        right = max(right - 1, left + 2 * radius)
        paint(rows, left, right, middle, radius, colour, 0.3 + velocity / 140)
    raw = b"".join(
        b"\0" + bytes(max(0, min(255, round(v))) for pixel in row for v in pixel) for row in rows
    )
    head = SIZE.to_bytes(4, "big") * 2 + bytes([8, 2, 0, 0, 0])
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        len(body).to_bytes(4, "big") + name + body + zlib.crc32(name + body).to_bytes(4, "big")
        for name, body in parts
    )


def paint(rows, left, right, middle, radius, colour, opacity):
    """A bar with round ends; its edge is soft over one pixel."""
    opacity = min(1.0, opacity)
    for y in range(max(0, int(middle - radius - 1)), min(SIZE, int(middle + radius + 2))):
        for x in range(max(0, int(left - 1)), min(SIZE, int(right + 2))):
            near = min(max(x + 0.5, left + radius), max(right - radius, left + radius))
            distance = math.hypot(x + 0.5 - near, y + 0.5 - middle) - radius
            cover = max(0.0, min(1.0, 0.5 - distance)) * opacity
            if cover:
                pixel = rows[y][x]
                for i in range(3):
                    pixel[i] += (colour[i] - pixel[i]) * cover
