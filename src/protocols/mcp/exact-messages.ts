import { Transform } from 'node:stream'
import { faultsText, type JsonFault, readExactly } from '../../core/plain/exact-json.ts'
import { isJsonObject, type Json } from '../../core/text/json.ts'

/** The SDK keeps no more of a line than this, and ends the connection. */
const LONGEST_LINE_BYTES = 10 * 1024 * 1024

const LINE_FEED = 0x0a
const INVALID_PARAMS = -32_602

/**
 * P9: passes on the lines of a client whose JSON values represent all of their text. A request with more in it is
 * answered through `answer` and does nothing. An answer with more in it becomes an error for the side that asked.
 */
export function exactMessages(answer: (line: string) => void): Transform {
  let begun: Buffer = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const all = Buffer.concat([begun, chunk])
      const end = all.lastIndexOf(LINE_FEED) + 1
      begun = all.subarray(end)
      for (const line of all.subarray(0, end).toString('utf8').split('\n').slice(0, -1)) {
        const passed = exactLine(line, answer)
        if (passed !== null) this.push(`${passed}\n`)
      }
      if (begun.length > LONGEST_LINE_BYTES) {
        this.push(begun)
        begun = Buffer.alloc(0)
      }
      done()
    },
  })
}

/** The line to pass on; `null` if it was answered. */
function exactLine(line: string, answer: (line: string) => void): string | null {
  const read = readLine(line)
  if (read === null || read.faults.length === 0 || !isJsonObject(read.value) || !('id' in read.value)) return line
  const refusal = JSON.stringify({ jsonrpc: '2.0', id: idOf(read), error: errorOf(read.faults) })
  if (!('method' in read.value)) return refusal
  answer(`${refusal}\n`)
  return null
}

type Read = ReturnType<typeof readExactly>

/** `null` if it is no JSON: that is for the SDK to judge. */
function readLine(line: string): Read | null {
  try {
    return readExactly(line)
  } catch {
    return null
  }
}

/** Returns `null` if the id is ambiguous: an answer to another id would be taken for that of another request. */
function idOf({ value, faults }: Read): Json {
  const isUnclear = faults.some(({ path, source }) => path[0] === 'id' || (path.length === 0 && source === 'id'))
  return isUnclear || !isJsonObject(value) ? null : (value['id'] ?? null)
}

function errorOf(faults: readonly JsonFault[]): Json {
  const message = `The message says what no value can: ${faultsText(faults, 'message')} Nothing was done.`
  return { code: INVALID_PARAMS, message }
}
