/** Builds JSON Schemas (2020-12). Each knows the type of what fits it, so no type is written beside it. */
import type { JsonObject } from './json.ts'

declare const FITS: unique symbol
/** A JSON Schema, and the type of the values that fit it. */
export type Schema<T = unknown> = JsonObject & { readonly [FITS]?: T }
export type Fields = Readonly<Record<string, Schema>>
export type Fits<S> = S extends { readonly [FITS]?: infer T } ? T : unknown
type Optional<F extends Fields, Needed extends keyof F> = { readonly [K in Exclude<keyof F, Needed>]?: Fits<F[K]> }
/** The type of an object of these fields. */
export type FitsAll<F extends Fields, Needed extends keyof F = never> = Optional<F, Needed> & {
  readonly [K in Needed]: Fits<F[K]>
}

export const TEXT: Schema<string> = { type: 'string' }
export const FLAG: Schema<boolean> = { type: 'boolean' }
export const OBJECT: Schema<JsonObject> = { type: 'object' }
export const NOTHING: Schema<object> = object({})

/** A text that is not empty. */
export function text(description: string): Schema<string> {
  return { type: 'string', minLength: 1, description }
}

export function words<const Word extends string>(...allowed: readonly Word[]): Schema<Word> {
  return { type: 'string', enum: [...allowed] }
}

/** A whole number. */
export function whole(minimum: number, maximum?: number): Schema<number> {
  return { type: 'integer', minimum, ...(maximum !== undefined && { maximum }) }
}

/** An object without other keys. */
export function object<const F extends Fields, const Needed extends keyof F & string = never>(
  properties: F,
  required: readonly Needed[] = [],
): Schema<FitsAll<F, Needed>> {
  return { type: 'object', properties: { ...properties }, required: [...required], additionalProperties: false }
}

/** An object that has all of these keys, but for one that may be left out. */
export function complete(properties: Fields, optional?: string): Schema<JsonObject> {
  const required = Object.keys(properties).filter(name => name !== optional)
  return { ...(object(properties) as JsonObject), required }
}

export function listOf<T>(items: Schema<T>): Schema<readonly T[]> {
  return { type: 'array', items }
}

/** Of a schema of one type. */
export function orNull<T>(schema: Schema<T>): Schema<T | null> {
  return { ...(schema as JsonObject), type: [schema['type'] ?? {}, 'null'] }
}

/** The same schema with more keywords. */
export function limited<S extends Schema>(schema: S, keywords: JsonObject): S {
  return { ...schema, ...keywords }
}

export function described<S extends Schema>(schema: S, description: string): S {
  return { ...schema, description }
}
