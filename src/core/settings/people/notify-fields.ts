import { isJsonObject, type Json, type JsonObject } from '../../text/json.ts'

/** Reads the keys of one channel. Each method @throws Error that names the key. */
export class FieldReader {
  readonly #document: JsonObject
  readonly #at: string

  constructor(written: Json, at: string) {
    if (!isJsonObject(written)) throw new Error(`${at}: must be an object`)
    this.#document = written
    this.#at = at
  }

  text(key: string): string {
    const value = this.#document[key]
    if (typeof value === 'string' && isLine(value)) return value
    throw this.#fault(key, 'text of one line')
  }

  /** `null` if it is left out. */
  maybe(key: string): string | null {
    return this.#document[key] === undefined ? null : this.text(key)
  }

  matching(key: string, pattern: RegExp, like: string): string {
    const value = this.text(key)
    if (pattern.test(value)) return value
    throw this.#fault(key, like)
  }

  /** `null` if it is left out. */
  maybeMatching(key: string, pattern: RegExp, like: string): string | null {
    return this.#document[key] === undefined ? null : this.matching(key, pattern, like)
  }

  url(key: string, usual?: string): string {
    if (usual !== undefined && this.#document[key] === undefined) return usual
    return this.matching(key, /^https?:\/\/[^\s/]+\S*$/, 'a URL that begins with https:// or http://')
  }

  flag(key: string, usual: boolean): boolean {
    const value = this.#document[key] ?? usual
    if (typeof value === 'boolean') return value
    throw this.#fault(key, 'true or false')
  }

  /** The first one if it is left out. */
  oneOf<T extends string>(key: string, values: readonly [T, ...T[]]): T {
    const written = this.#document[key]
    const value = written === undefined ? values[0] : values.find(each => each === written)
    if (value !== undefined) return value
    throw this.#fault(key, `one of ${values.join(', ')}`)
  }

  /** All of them if it is left out. */
  some<T extends string>(key: string, values: readonly T[]): readonly T[] {
    const written = this.#document[key]
    if (written === undefined) return values
    if (Array.isArray(written) && written.every(each => (values as readonly Json[]).includes(each)))
      return written as readonly T[]
    throw this.#fault(key, `a list of any of ${values.join(', ')}`)
  }

  /** A text, or a list of them; empty if it is left out. */
  names(key: string): readonly string[] {
    const written = this.#document[key] ?? []
    const list = Array.isArray(written) ? written : [written]
    if (list.every(isLine)) return list as readonly string[]
    throw this.#fault(key, 'the name of a variable, or a list of them')
  }

  /** A program with its arguments. */
  argv(key: string): readonly string[] {
    const value = this.#document[key]
    if (Array.isArray(value) && value.length > 0 && value.every(each => typeof each === 'string'))
      return value as readonly string[]
    throw this.#fault(key, 'a list with a program and its arguments')
  }

  /** The settings. @throws Error if there is a key that none of them has. */
  all<T extends object>(settings: T): T {
    const unknown = Object.keys(this.#document).find(key => !Object.hasOwn(settings, key))
    if (unknown === undefined) return settings
    throw new Error(`${this.#at}.${unknown}: known keys are ${Object.keys(settings).join(', ')}`)
  }

  #fault(key: string, must: string): Error {
    return new Error(`${this.#at}.${key}: must be ${must}`)
  }
}

export function isLine(value: Json): boolean {
  return typeof value === 'string' && value.trim() !== '' && !/[\r\n\0]/.test(value)
}
