import { RefusedError } from '../../core/errors.ts'
import { faultsText, type ReadJson, readExactly } from '../../core/plain/exact-json.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import { treeFault } from '../../core/text/tree-fault.ts'

/** Its name in a message, and how to write it. */
export interface WrittenValue {
  readonly what: string
  readonly hint: string
}

/** A value that was written on the command line. @throws RefusedError `invalid_arguments` */
export function jsonValue(text: string, { what, hint }: WrittenValue): Json {
  const refuse = (problem: string) => new RefusedError('invalid_arguments', `${what} ${problem}.`, { hint })
  let read: ReadJson
  try {
    read = readExactly(text)
  } catch {
    throw refuse('is no JSON')
  }
  const { value, faults } = read
  // P9: what would run is what was written, or nothing.
  if (faults.length > 0) throw refuse(`cannot be used: ${faultsText(faults, 'value').replace(/\.$/, '')}`)
  const fault = treeFault(value)
  if (fault) throw refuse(fault)
  return value
}

/** @throws RefusedError `invalid_arguments` */
export function jsonObject(text: string, written: WrittenValue): JsonObject {
  const value = jsonValue(text, written)
  if (isJsonObject(value)) return value
  throw new RefusedError('invalid_arguments', `${written.what} is no JSON object.`, { hint: written.hint })
}
