/** Writes `schemas/*.schema.json`; `npm run schemas` formats them, too. */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { generateSchemas } from './generate-schemas.ts'

const DIRECTORY = resolve(import.meta.dirname, '../schemas')

for (const [file, schema] of generateSchemas()) writeFileSync(resolve(DIRECTORY, file), JSON.stringify(schema))
