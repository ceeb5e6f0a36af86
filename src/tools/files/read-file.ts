import type { FileHandle } from 'node:fs/promises'
import { ToolError } from '../../core/errors.ts'
import { isNotebook, notebookText } from '../../core/message/notebook-text.ts'
import { isToolParts, type ToolParts } from '../../core/message/tool-parts.ts'
import type { Json } from '../../core/text/json.ts'
import { described, type Fits, object, text, whole } from '../../core/text/json-schema.ts'
import type { Tool, ToolContext } from '../../ports/agent/tool.ts'
import { BUILT_IN_VERSION } from '../define/built-in-version.ts'
import { defineTool } from '../define/define-tool.ts'
import { onPath } from './file-error.ts'
import { inspectPath } from './inspect-path.ts'
import { type FileOptions, reach } from './locate.ts'
import { openFile } from './open-file.ts'
import { readImage } from './read-image.ts'
import { type Lines, linesIn, moreLines, readLines } from './read-lines.ts'
import { refuseSecretFile } from './secret-file.ts'

const MAX_BYTES = 64 * 1024
const DEFAULT_LIMIT = 2000

export function readFile(options: FileOptions = {}): Tool {
  return defineTool({
    name: 'read_file',
    description:
      'Reads lines of a text file, or looks at an image (png, jpeg, gif, webp). A notebook (.ipynb) is read as Markdown, with ' +
      'the texts of its outputs. Of a text at most 64 KiB are returned at ' +
      'once; `more` tells whether there is more, and the last line of `content` then says where to read on.',
    inputSchema: INPUT_SCHEMA,
    version: BUILT_IN_VERSION,
    idempotent: true,
    inspect: ({ path = null }, workdir, rulesFrom) => inspectPath({ path, workdir, rulesFrom, writes: false }),
    execute: (args: Arguments, context) => execute(args, context, options),
  })
}

const INPUT_SCHEMA = object(
  {
    path: text('Relative to the working directory.'),
    offset: described(whole(1), 'The first line to read, counted from 1. Default: 1.'),
    limit: described(whole(1), `How many lines at most. Default: ${DEFAULT_LIMIT}.`),
  },
  ['path'],
)
type Arguments = Fits<typeof INPUT_SCHEMA>

async function execute(
  { path, offset = 1, limit = DEFAULT_LIMIT }: Arguments,
  { workdir, leadsTo }: ToolContext,
  options: FileOptions,
): Promise<Json | ToolParts> {
  const { real, shown } = await reach(workdir, path, { ...options, leadsTo })
  refuseSecretFile(real, shown)
  const read = await onPath(path, async () => {
    await using file = await openFile(real)
    const image = await readImage(file, shown)
    if (image !== null) return image
    const range = { offset, limit, maxBytes: MAX_BYTES }
    const notebook = isNotebook(real) ? await readNotebook(file) : null
    const lines = notebook === null ? readLines(file, range) : linesIn([Buffer.from(notebook)], range)
    return await lines.catch(thrown => refuse(path, thrown))
  })
  return isToolParts(read) ? read : asText(read, shown, offset)
}

const NOTEBOOK_BYTES = 20 * 1024 * 1024

/** The notebook as Markdown; `null` if it is none, and is read as the text that it is. */
async function readNotebook(file: FileHandle): Promise<string | null> {
  const { size } = await file.stat()
  if (size > NOTEBOOK_BYTES) return null
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0)
  return notebookText(buffer.subarray(0, bytesRead).toString('utf8'))
}

function asText(lines: Lines, shown: string, offset: number): Json {
  return {
    path: shown,
    content: lines.text + moreLines(lines),
    offset,
    lines: lines.count,
    total_lines: lines.total,
    more: lines.next !== null,
  }
}

function refuse(path: string, thrown: unknown): never {
  if (!(thrown instanceof ToolError)) throw thrown
  throw new ToolError(
    thrown.code,
    `${JSON.stringify(path)} is not text: ${thrown.message}. Look at it with a command instead.`,
  )
}
