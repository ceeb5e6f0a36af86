const LONGEST = 4

/** `bytes` without a character that its end cuts in two. */
export function withoutCutEnd<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
  for (let back = 1; back < LONGEST && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (isContinuation(byte)) continue
    return lengthFrom(byte) > back ? (bytes.subarray(0, bytes.length - back) as Bytes) : bytes
  }
  return bytes
}

/** `bytes` without the remains of a character that their start cuts in two. */
export function withoutCutStart<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
  let start = 0
  while (start < LONGEST - 1 && start < bytes.length && isContinuation(bytes[start] ?? 0)) start++
  return bytes.subarray(start) as Bytes
}

function isContinuation(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000
}

function lengthFrom(lead: number): number {
  if (lead >= 0b1111_0000) return 4
  if (lead >= 0b1110_0000) return 3
  return lead >= 0b1100_0000 ? 2 : 1
}
