/** Writes what the package has beside its code: `schemas/`, docs/api/, docs/commands.md, docs/routes.md and docs/errors.md. */
import { existsSync, globSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

process.chdir(resolve(import.meta.dirname, '..'))
const LAST = 'docs/errors.md'

// Each test run asks for a build, and most of them changed nothing.
const sources = globSync('{src,scripts}/**/*.ts').filter(file => !file.endsWith('.test.ts'))
const changedAt = Math.max(...sources.map(file => statSync(file).mtimeMs))
if (!existsSync('schemas') || !existsSync('docs/api') || !existsSync(LAST) || statSync(LAST).mtimeMs < changedAt)
  await writeAll()

async function writeAll(): Promise<void> {
  const { generateSchemas } = await import('./generate-schemas.ts')
  rmSync('schemas', { recursive: true, force: true })
  mkdirSync('schemas')
  for (const [file, schema] of generateSchemas()) writeFileSync(`schemas/${file}`, JSON.stringify(schema))
  const { commandsDocument } = await import('./list-commands.ts')
  writeFileSync('docs/commands.md', await commandsDocument())
  const { routesDocument } = await import('./list-routes.ts')
  writeFileSync('docs/routes.md', routesDocument())
  const { apiDocuments } = await import('./list-api.ts')
  rmSync('docs/api', { recursive: true, force: true })
  mkdirSync('docs/api')
  for (const [file, text] of apiDocuments()) writeFileSync(`docs/api/${file}`, text)
  const { errorsDocument } = await import('./list-errors.ts')
  writeFileSync(LAST, errorsDocument())
}
