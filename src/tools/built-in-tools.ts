import type { Tool } from '../ports/agent/tool.ts'
import { askHuman } from './ask-human.ts'
import { type FetchOptions, fetchUrl } from './fetch-url/fetch-url.ts'
import { editFile } from './files/edit-file.ts'
import { listFiles } from './files/list-files.ts'
import type { FileOptions } from './files/locate.ts'
import { readFile } from './files/read-file.ts'
import { writeFile } from './files/write-file.ts'
import { plan } from './plan.ts'
import { requestApproval } from './request-approval.ts'
import { type RunCommandOptions, runCommand } from './run-command/run-command.ts'
import { findFiles } from './search/find-files.ts'
import { searchFiles } from './search/search-files.ts'

export type BuiltInToolOptions = RunCommandOptions & FileOptions & FetchOptions

/** The tools that come with Holdpoint, by name. To add one: a file, and a line here. */
export function builtInTools(options: BuiltInToolOptions = {}): ReadonlyMap<string, Tool> {
  const tools = [
    runCommand(options),
    readFile(options),
    writeFile(options),
    editFile(options),
    listFiles(options),
    findFiles(options),
    searchFiles(options),
    fetchUrl(options),
    askHuman(),
    requestApproval(),
    plan(),
  ]
  return new Map(tools.map(tool => [tool.name, tool]))
}
