import { takesNextWord } from '../words/flag-words.ts'
import type { ReadWord } from '../words/read-word.ts'

/** How `docker exec`, `kubectl exec` and their like stand in front of a command. */

const CONTAINER = /^((docker|podman)(-compose)?|nerdctl|kubectl|oc)$/
const TAKES_VALUE = /^(-[vewupn]|--(volume|env|workdir|user|publish|name|mount|network|label|namespace|context))$/
const TAKES_NONE = /^(-[itdT]+|--(interactive|tty|rm|detach|init|privileged|stdin))$/

export function isContainer(wrapper: string): boolean {
  return CONTAINER.test(wrapper)
}

/** `-v "$PWD:/w"` is no program: the flag before it takes a value, and the value cannot vanish. */
export function isContainerValue(wrapper: string, before: string, { bare }: Pick<ReadWord, 'bare'>): boolean {
  return isContainer(wrapper) && TAKES_VALUE.test(before) && bare !== null
}

/** True if a word may be the value of the one before it. */
export function mayBeValue(wrapper: string, before: string): boolean {
  return takesNextWord(before) && !(isContainer(wrapper) && TAKES_NONE.test(before))
}
