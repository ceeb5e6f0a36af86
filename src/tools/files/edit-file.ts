import { isUtf8 } from 'node:buffer'
import { ToolError } from '../../core/errors.ts'
import type { Json } from '../../core/text/json.ts'
import { described, type Fits, FLAG, object, TEXT, text } from '../../core/text/json-schema.ts'
import type { Tool, ToolContext } from '../../ports/agent/tool.ts'
import { BUILT_IN_VERSION } from '../define/built-in-version.ts'
import { defineTool } from '../define/define-tool.ts'
import { onPath } from './file-error.ts'
import { inspectPath } from './inspect-path.ts'
import { type Place, placesOf, replacements } from './line-ends.ts'
import { type FileOptions, reach } from './locate.ts'
import { openFile } from './open-file.ts'
import { previewFile } from './preview-file.ts'
import { oneAtATime, replaceFile } from './replace-file.ts'
import { refuseSecretFile } from './secret-file.ts'

const MAX_BYTES = 16 * 1024 * 1024

export function editFile(options: FileOptions = {}): Tool {
  const tool = defineTool({
    name: 'edit_file',
    description:
      'Replaces text in a file. `old_text` must be exactly what is in the file, white space included, and must occur ' +
      'exactly once unless `replace_all` is true. The file keeps its line ends: write them as you like.',
    inputSchema: INPUT_SCHEMA,
    version: BUILT_IN_VERSION,
    destructive: true,
    title: ({ path }: Arguments) => `Edit ${path}`,
    inspect: ({ path = null }, workdir, rulesFrom) => inspectPath({ path, workdir, rulesFrom, writes: true }),
    preview: async (args: Arguments, { workdir }) => {
      const place = await reach(workdir, args.path, options)
      refuseSecretFile(place.real, place.shown)
      return previewFile(place, { to: text => edited(text, args).text, binds: 'lines' })
    },
    execute: (args: Arguments, context) => execute(args, context, options),
  })
  return { ...tool, grantable: true }
}

const INPUT_SCHEMA = object(
  {
    path: text('Relative to the working directory.'),
    old_text: text('With enough around it to occur only once.'),
    new_text: TEXT,
    replace_all: described(FLAG, 'Replace every occurrence. Default: false.'),
  },
  ['path', 'old_text', 'new_text'],
)
type Arguments = Fits<typeof INPUT_SCHEMA>

async function execute(args: Arguments, { workdir, leadsTo }: ToolContext, options: FileOptions): Promise<Json> {
  const { real, shown } = await reach(workdir, args.path, { ...options, leadsTo })
  return await onPath(args.path, () =>
    oneAtATime(real, async () => {
      refuseSecretFile(real, shown)
      const text = await readText(args.path, real)
      const { text: next, count } = edited(text, args)
      await replaceFile(real, next)
      return { path: shown, replacements: count }
    }),
  )
}

interface Edited {
  readonly text: string
  readonly count: number
}

function edited(text: string, args: Arguments): Edited {
  const places = placesToEdit(text, args)
  const fitted = replacements(text, places, args.new_text)
  refuseTooLong(text, { places, fitted }, args)
  const parts = places.map(({ start }, n) => text.slice(places[n - 1]?.end ?? 0, start) + fitted[n])
  const next = parts.join('') + text.slice(places.at(-1)?.end ?? 0)
  if (next !== text) return { text: next, count: places.length }
  throw new ToolError(
    'NOTHING_TO_EDIT',
    'old_text and new_text differ in line ends or in a byte order mark alone, and a file keeps those. Change them with a command.',
  )
}

interface Fitted {
  readonly places: readonly Place[]
  readonly fitted: readonly string[]
}

/** A small call can make a text that fills the memory, and its preview makes it before people are asked. */
function refuseTooLong(text: string, { places, fitted }: Fitted, { path }: Arguments): void {
  const grown = places.reduce((sum, { start, end }, n) => sum + (fitted[n]?.length ?? 0) - (end - start), 0)
  const size = text.length + grown
  if (size <= MAX_BYTES) return
  throw new ToolError(
    'FILE_TOO_LARGE',
    `${JSON.stringify(path)} would have ${size} characters; a file may have at most ${MAX_BYTES} bytes after an edit.`,
  )
}

function placesToEdit(text: string, { path, old_text, new_text, replace_all = false }: Arguments): readonly Place[] {
  if (old_text === new_text) throw new ToolError('NOTHING_TO_EDIT', 'old_text and new_text are the same.')
  const places = placesOf(text, old_text)
  const { length } = places
  if (length === 0) throw new ToolError('TEXT_NOT_FOUND', notFound(path))
  if (length > 1 && !replace_all) {
    throw new ToolError(
      'TEXT_NOT_UNIQUE',
      `old_text occurs ${length} times in ${JSON.stringify(path)}, so nothing was changed. Give more of the text ` +
        'around it so that it occurs once, or set replace_all to true.',
    )
  }
  return places
}

function notFound(path: string): string {
  const hint = 'Read the file again and copy the text exactly, white space included.'
  return `old_text occurs 0 times in ${JSON.stringify(path)}, so nothing was changed. ${hint}`
}

/** Only what can be written back byte for byte is edited. */
async function readText(path: string, real: string): Promise<string> {
  await using file = await openFile(real)
  const { size } = await file.stat()
  if (size > MAX_BYTES) {
    throw new ToolError(
      'FILE_TOO_LARGE',
      `${JSON.stringify(path)} has ${size} bytes; at most ${MAX_BYTES} can be edited.`,
    )
  }
  const bytes = await file.readFile()
  if (isUtf8(bytes)) return bytes.toString('utf8')
  throw new ToolError('BINARY_FILE', `${JSON.stringify(path)} is not UTF-8 text. Change it with a command instead.`)
}
