import { stat } from 'node:fs/promises'
import type { Json } from '../../core/text/json.ts'
import { type Fits, object, text } from '../../core/text/json-schema.ts'
import type { Tool, ToolContext } from '../../ports/agent/tool.ts'
import { BUILT_IN_VERSION } from '../define/built-in-version.ts'
import { defineTool } from '../define/define-tool.ts'
import { onPath } from '../files/file-error.ts'
import { inspectPath } from '../files/inspect-path.ts'
import { type FileOptions, reach } from '../files/locate.ts'
import { matchesPath } from '../files/matches-path.ts'
import { walkProject } from './walk-project.ts'

const MOST_FILES = 200
/** A project with more is one of data, and a pattern that fits so many finds nothing. */
const MOST_LOOKED_AT = 20_000

export function findFiles(options: FileOptions = {}): Tool {
  return defineTool({
    name: 'find_files',
    description:
      'Finds files by their path below a directory, without what .gitignore names. Those that changed last come first. ' +
      `At most ${MOST_FILES} are returned; \`more\` tells whether there are more.`,
    inputSchema: INPUT_SCHEMA,
    version: BUILT_IN_VERSION,
    idempotent: true,
    inspect: ({ path = '.' }, workdir, rulesFrom) => inspectPath({ path, workdir, rulesFrom, writes: false }),
    execute: (args: Arguments, context) => execute(args, context, options),
  })
}

const INPUT_SCHEMA = object(
  {
    pattern: text('For example "*.ts" (at any depth), "src/**/cart*" or "src/**/*.{ts,tsx}" (relative to `path`).'),
    path: text('The directory. Default: the working directory.'),
  },
  ['pattern'],
)
type Arguments = Fits<typeof INPUT_SCHEMA>

async function execute(
  { pattern, path = '.' }: Arguments,
  { workdir, abortSignal: signal, leadsTo, boxed }: ToolContext,
  options: FileOptions,
): Promise<Json> {
  const { real, shown } = await reach(workdir, path, { ...options, leadsTo })
  const found: { readonly path: string; readonly changed: number }[] = []
  await onPath(path, async () => {
    for await (const file of walkProject({ real, workdir, signal, never: boxed?.effects.never })) {
      if (!matchesPath(pattern, file.path)) continue
      found.push({ path: file.path, changed: await changedAt(file.real) })
      if (found.length === MOST_LOOKED_AT) break
    }
  })
  const newest = found.toSorted((one, other) => other.changed - one.changed).map(file => file.path)
  return { path: shown, files: newest.slice(0, MOST_FILES), more: newest.length > MOST_FILES }
}

/** A file that is gone by now changed last of all. */
async function changedAt(real: string): Promise<number> {
  return stat(real).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  )
}
