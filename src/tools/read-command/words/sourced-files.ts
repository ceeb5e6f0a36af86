import type { ReadWord } from './read-word.ts'

const HOME = String.raw`(?:~|\$HOME|\$\{HOME\})`
/** Tools write them, and a command that uses such a tool begins with them. */
const SETS_UP = new RegExp(
  [
    String.raw`^(?:[\w./~-]*\/)?\.?v?env[\w.-]*\/bin\/activate(?:\.\w+)?$`,
    String.raw`^${HOME}\/(?:\.nvm\/nvm\.sh|\.cargo\/env|\.(?:bashrc|profile|bash_profile|zshrc))$`,
    String.raw`^(?:\$NVM_DIR|\$\{NVM_DIR\})\/nvm\.sh$`,
  ].join('|'),
)
const OF_KERNEL = /^\/(dev|proc)\//
const ENDS_AS_FILE = /\/[\w.-]+$/

/** `.venv/bin/activate` and the like are as programs of that name are: policy sees only the name. */
export function setsUp(file: string): boolean {
  return SETS_UP.test(file)
}

/** `$DIR/x.sh` is some file, too; `$X` may be what another command prints. */
export function isFile({ text, literal, pieces }: ReadWord): boolean {
  return literal ? !OF_KERNEL.test(text) : ENDS_AS_FILE.test(pieces.at(-1) ?? '')
}
