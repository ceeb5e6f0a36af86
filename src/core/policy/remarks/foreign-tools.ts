/** Names by which other products call what our tools do. */

/** The tool that is meant, and the argument between the brackets of `Bash(rm:*)`. */
export interface MeantTool {
  readonly tool: string
  readonly argument: string | null
}

const COMMAND: MeantTool = { tool: 'run_command', argument: 'command' }
const READ: MeantTool = { tool: 'read_file', argument: 'path' }
const WRITE: MeantTool = { tool: 'write_file', argument: 'path' }
const EDIT: MeantTool = { tool: 'edit_file', argument: 'path' }
const LIST: MeantTool = { tool: 'list_files', argument: 'path' }
const FIND: MeantTool = { tool: 'find_files', argument: 'path' }
const SEARCH: MeantTool = { tool: 'search_files', argument: 'path' }
const FETCH: MeantTool = { tool: 'fetch_url', argument: 'url' }
const ASK: MeantTool = { tool: 'ask_human', argument: null }

// biome-ignore format: the table is the documentation
const MEANT: Readonly<Record<string, MeantTool>> = {
  bash: COMMAND, shell: COMMAND, shelltool: COMMAND, run_shell_command: COMMAND, local_shell: COMMAND, exec: COMMAND,
  exec_command: COMMAND, execute_command: COMMAND, run_terminal_cmd: COMMAND, powershell: COMMAND, terminal: COMMAND,
  read: READ, read_file: READ, readfiletool: READ, readmanyfilestool: READ, read_many_files: READ, view: READ,
  write: WRITE, write_file: WRITE, writefiletool: WRITE, write_to_file: WRITE, create_file: WRITE,
  edit: EDIT, multiedit: EDIT, edittool: EDIT, replace: EDIT, apply_patch: EDIT, str_replace: EDIT,
  ls: LIST, lstool: LIST, list_directory: LIST, list_dir: LIST, glob: FIND, globtool: FIND,
  grep: SEARCH, greptool: SEARCH, search_file_content: SEARCH, ripgrep: SEARCH, grep_search: SEARCH,
  webfetch: FETCH, web_fetch: FETCH, webfetchtool: FETCH, fetch: FETCH, fetch_page: FETCH,
  askuserquestion: ASK, ask_user: ASK, ask_followup_question: ASK,
}

/** `null` if the name is no tool of another product that ours have an equal of. */
export function meantTool(name: string): MeantTool | null {
  return MEANT[name.toLowerCase()] ?? null
}

const BRACKETS = /^([A-Za-z][\w-]*)\((.*)\)$/s

/** `Bash(rm:*)` as its name and the text in brackets; `null` if it is not written so. */
export function bracketed(text: string): { readonly name: string; readonly within: string } | null {
  const [, name, within] = BRACKETS.exec(text) ?? []
  return name === undefined || within === undefined ? null : { name, within }
}

/** `mcp__github__get_issue` is `github__get_issue` here; `mcp__github` is each tool of it. `null` for another name. */
export function serverTool(name: string): string | null {
  const [, server, tool] = /^mcp__(.+?)(?:__(.+))?$/.exec(name) ?? []
  return server === undefined ? null : `${server}__${tool ?? '*'}`
}

/** Translates `:*` at the end of a command, which elsewhere means more words, or none. */
export function withoutColon(pattern: string): string {
  return pattern.replace(/\s*:\*$/, ' *')
}
