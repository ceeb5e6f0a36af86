import type { Json, JsonObject } from '../../core/text/json.ts'

export type Fit = { readonly ok: true } | { readonly ok: false; readonly issues: string }

/** Whether a value fits a JSON Schema (draft 2020-12). `issues` is one line with paths, the value called by `name`. */
export type CheckSchema = (schema: JsonObject, value: Json, name: string) => Fit | Promise<Fit>
