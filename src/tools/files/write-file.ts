import type { Json, JsonObject } from '../../core/text/json.ts'
import type { Tool, ToolContext } from '../../ports/agent/tool.ts'
import { BUILT_IN_VERSION } from '../define/built-in-version.ts'
import { defineTool } from '../define/define-tool.ts'
import { onPath } from './file-error.ts'
import { inspectPath } from './inspect-path.ts'
import { type FileOptions, reach } from './locate.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { previewFile } from './preview-file.ts'
import { replaceFile } from './replace-file.ts'

interface WriteFileArguments {
  readonly path: string
  readonly content: string
}

export function writeFile(options: FileOptions = {}): Tool {
  const tool = defineTool({
    name: 'write_file',
    description: 'Writes a whole text file, replacing what was there. Directories that are missing are made.',
    inputSchema: INPUT_SCHEMA,
    version: BUILT_IN_VERSION,
    idempotent: true,
    destructive: true,
    inspect: ({ path = null }, workdir, rulesFrom) => inspectPath({ path, workdir, rulesFrom, writes: true }),
    preview: async ({ path, content }: WriteFileArguments, { workdir }) =>
      previewFile(await reach(workdir, path, options), { to: () => content, binds: 'file' }),
    execute: (args: WriteFileArguments, context) => execute(args, context, options),
  })
  return { ...tool, grantable: true }
}

const INPUT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1, description: 'Relative to the working directory.' },
    content: { type: 'string', description: 'The whole new content.' },
  },
  required: ['path', 'content'],
  additionalProperties: false,
}

async function execute(
  { path, content }: WriteFileArguments,
  { workdir, leadsTo }: ToolContext,
  options: FileOptions,
): Promise<Json> {
  const { real, shown } = await reach(workdir, path, { ...options, leadsTo })
  const { created } = await onPath(path, () => oneAtATime(real, () => replaceFile(real, content)))
  return { path: shown, created, bytes_written: Buffer.byteLength(content) }
}
