import type { Json } from '../../core/text/json.ts'
import { described, type Fits, object, TEXT, text } from '../../core/text/json-schema.ts'
import type { Tool, ToolContext } from '../../ports/agent/tool.ts'
import { BUILT_IN_VERSION } from '../define/built-in-version.ts'
import { defineTool } from '../define/define-tool.ts'
import { onPath } from './file-error.ts'
import { inspectPath } from './inspect-path.ts'
import { asWholeOf } from './line-ends.ts'
import { type FileOptions, reach } from './locate.ts'
import { previewFile, textNow } from './preview-file.ts'
import { oneAtATime, replaceFile } from './replace-file.ts'

export function writeFile(options: FileOptions = {}): Tool {
  const tool = defineTool({
    name: 'write_file',
    description:
      'Writes a whole text file, replacing what was there. Directories that are missing are made. A file whose lines end ' +
      'with \\r\\n, or that has a byte order mark, keeps them.',
    inputSchema: INPUT_SCHEMA,
    version: BUILT_IN_VERSION,
    idempotent: true,
    destructive: true,
    title: ({ path }: Arguments) => `Write ${path}`,
    inspect: ({ path = null }, workdir, rulesFrom) => inspectPath({ path, workdir, rulesFrom, writes: true }),
    preview: async ({ path, content }: Arguments, { workdir }) =>
      previewFile(await reach(workdir, path, options), { to: before => asWholeOf(before, content), binds: 'file' }),
    execute: (args: Arguments, context) => execute(args, context, options),
  })
  return { ...tool, grantable: true }
}

const INPUT_SCHEMA = object(
  { path: text('Relative to the working directory.'), content: described(TEXT, 'The whole new content.') },
  ['path', 'content'],
)
type Arguments = Fits<typeof INPUT_SCHEMA>

async function execute(
  { path, content }: Arguments,
  { workdir, leadsTo }: ToolContext,
  options: FileOptions,
): Promise<Json> {
  const { real, shown } = await reach(workdir, path, { ...options, leadsTo })
  return await onPath(path, () =>
    oneAtATime(real, async () => {
      const written = asWholeOf((await textNow(real)) ?? '', content)
      const { created } = await replaceFile(real, written)
      return { path: shown, created, bytes_written: Buffer.byteLength(written) }
    }),
  )
}
