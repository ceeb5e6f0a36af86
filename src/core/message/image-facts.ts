/** What an image is, by its first bytes: names and declared types are often wrong, and providers refuse what does not fit. */
export interface ImageFacts {
  readonly media_type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
  /** Pixels. */
  readonly width: number
  readonly height: number
}

type Size = Pick<ImageFacts, 'width' | 'height'>

interface Format {
  readonly media_type: ImageFacts['media_type']
  /** `.` stands for any byte. */
  readonly magic: string
  readonly size: (bytes: Bytes) => Size | null
}

/** The formats that the models of all providers read. */
const FORMATS: readonly Format[] = [
  { media_type: 'image/png', magic: '\x89PNG\r\n\x1a\n....IHDR', size: bytes => sizeOf(bytes.u32(16), bytes.u32(20)) },
  { media_type: 'image/gif', magic: 'GIF8.a', size: bytes => sizeOf(bytes.le(6, 2), bytes.le(8, 2)) },
  { media_type: 'image/webp', magic: 'RIFF....WEBP', size: webpSize },
  { media_type: 'image/jpeg', magic: '\xff\xd8\xff', size: jpegSize },
]

/** `null` if it is no image of these formats, or its header is not whole. */
export function imageFacts(given: Uint8Array): ImageFacts | null {
  const bytes = new Bytes(given)
  const format = formatOf(bytes)
  const size = format?.size(bytes) ?? null
  return format && size ? { media_type: format.media_type, ...size } : null
}

/** The type of an image by its first 64 bytes; `null` if it is none of these formats. */
export function imageType(head: Uint8Array): ImageFacts['media_type'] | null {
  return formatOf(new Bytes(head))?.media_type ?? null
}

function formatOf(bytes: Bytes): Format | undefined {
  return FORMATS.find(({ magic }) => bytes.begin(magic))
}

/** Bytes beyond the end are `NaN`. */
class Bytes {
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  at(place: number): number {
    return this.#bytes[place] ?? Number.NaN
  }

  u16(place: number): number {
    return this.at(place) * 256 + this.at(place + 1)
  }

  u32(place: number): number {
    return this.u16(place) * 65_536 + this.u16(place + 2)
  }

  /** Little-endian. */
  le(place: number, count: number): number {
    let value = 0
    for (let index = count - 1; index >= 0; index -= 1) value = value * 256 + this.at(place + index)
    return value
  }

  begin(magic: string, place = 0): boolean {
    return [...magic].every(
      (character, index) => character === '.' || this.at(place + index) === character.charCodeAt(0),
    )
  }
}

function sizeOf(width: number, height: number): Size | null {
  return width > 0 && height > 0 ? { width, height } : null
}

/** By its first chunk: extended, lossy, lossless. */
function webpSize(bytes: Bytes): Size | null {
  if (bytes.begin('VP8X', 12)) return sizeOf(bytes.le(24, 3) + 1, bytes.le(27, 3) + 1)
  if (bytes.begin('VP8 ', 12)) return sizeOf(bytes.le(26, 2) % 16_384, bytes.le(28, 2) % 16_384)
  if (!bytes.begin('VP8L', 12)) return null
  const packed = bytes.le(21, 4)
  return sizeOf((packed % 16_384) + 1, (Math.floor(packed / 16_384) % 16_384) + 1)
}

/** Markers of a frame: all from C0 to CF but for tables (C4, C8, CC). */
const FRAMES: readonly number[] = [0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]

/** The size is in the frame, after segments of any length. */
function jpegSize(bytes: Bytes): Size | null {
  let place = 2
  while (bytes.at(place) === 0xff) {
    const marker = bytes.at(place + 1)
    if (FRAMES.includes(marker)) return sizeOf(bytes.u16(place + 7), bytes.u16(place + 5))
    const length = bytes.u16(place + 2)
    // A marker may be filled up with FF.
    if (marker === 0xff) place += 1
    else if (length >= 2) place += 2 + length
    else return null
  }
  return null
}
