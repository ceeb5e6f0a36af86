import { readdir, readFile, stat } from 'node:fs/promises'
import { relative } from 'node:path'
import { openDatabase } from '../open-database.ts'
import type { Project } from './project.ts'

const STORE = '.holdpoint/holdpoint.db'

export interface WholeProject {
  /** Every row of every table, but the audit log: what was refused goes on record there. */
  readonly tables: Readonly<Record<string, readonly unknown[]>>
  /** Every file and directory with its mode and content; of the store's own files only what is in their tables counts. */
  readonly files: Readonly<Record<string, string>>
}

/** All there is in a project's directory, to be compared before and after something that must not change it. */
export async function wholeProject(project: Project): Promise<WholeProject> {
  const files: Record<string, string> = {}
  for (const entry of await readdir(project.directory, { recursive: true, withFileTypes: true })) {
    const path = `${entry.parentPath}/${entry.name}`
    const { mode } = await stat(path)
    const name = relative(project.directory, path)
    const content = entry.isFile() && !name.startsWith(STORE) ? await readFile(path, 'base64') : ''
    files[name] = `${mode.toString(8)} ${content}`
  }
  return { files, tables: project.exists(STORE) ? tablesIn(project.path(STORE)) : {} }
}

function tablesIn(path: string): WholeProject['tables'] {
  using database = openDatabase(path)
  const names = database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'audit%' ORDER BY name`)
    .all()
  return Object.fromEntries(
    names.map(({ name }) => [name, database.prepare(`SELECT * FROM "${name}" ORDER BY 1`).all()]),
  )
}
