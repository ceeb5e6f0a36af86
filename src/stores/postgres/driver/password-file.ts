/** The file of passwords that PostgreSQL's own programs read: `HOST:PORT:DATABASE:USER:PASSWORD`, where `*` fits anything. */
import { readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { storeFailures } from '../../store-refusals.ts'

export interface Login {
  readonly host: string
  readonly port: number
  readonly database?: string | undefined
  readonly user?: string | undefined
}

/** The rights that the group and others may not have. */
const OTHERS = 0o077

/** `undefined` if there is no such file, or no line of it fits. @throws StoreError `store_denied` if others may read it. */
export async function passwordInFile(login: Login, path: string = passwordFile()): Promise<string | undefined> {
  const found = await stat(path).catch(() => null)
  if (!found?.isFile()) return undefined
  if ((found.mode & OTHERS) !== 0) throw storeFailures.readableByOthers(path)
  return passwordIn(await readFile(path, 'utf8'), login)
}

/** The first line that fits. */
export function passwordIn(text: string, { host, port, database, user }: Login): string | undefined {
  const wanted = [host, String(port), database ?? '', user ?? '']
  for (const line of text.split(/\r?\n/)) {
    const [fields, password] = fieldsOf(line)
    if (password && wanted.every((value, at) => fields[at] === '*' || unescaped(fields[at] ?? '') === value))
      return unescaped(password)
  }
  return undefined
}

/** Colons divide it, unless a backslash escapes one. All after the fourth is the password. */
function fieldsOf(line: string): readonly [fields: readonly string[], password: string | undefined] {
  const [, host = '', port = '', database = '', user = '', password] =
    /^((?:\\.|[^:\\])*):((?:\\.|[^:\\])*):((?:\\.|[^:\\])*):((?:\\.|[^:\\])*):(.*)$/.exec(line) ?? []
  return [[host, port, database, user], line.startsWith('#') ? undefined : password]
}

function unescaped(field: string): string {
  return field.replaceAll(/\\([:\\])/g, '$1')
}

function passwordFile(): string {
  try {
    return process.env['PGPASSFILE'] || join(homedir(), '.pgpass')
  } catch {
    // A container may run under an id that has no home.
    return '/nonexistent/.pgpass'
  }
}
