import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject } from '../../core/text/json.ts'

/** As seen from the bundled command line, or from the source. */
const PLACES: readonly string[] = ['../../schemas', '../../../schemas']

/** The schemas of what the server answers with, by name: they come with the package. */
export async function httpDocuments(): Promise<JsonObject> {
  const files = PLACES.map(place => join(import.meta.dirname, place, 'http.schema.json'))
  const file = files.find(each => existsSync(each)) ?? files[0] ?? ''
  return (JSON.parse(await readFile(file, 'utf8')) as { readonly $defs: JsonObject }).$defs
}
