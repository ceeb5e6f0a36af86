import type { Key } from '../keys/key.ts'
import type { Draft } from './draft.ts'

/** The keys of a line editor, as shells have them. */
const KEYS: Readonly<Record<string, (draft: Draft) => void>> = {
  left: draft => draft.moveTo(draft.cursor - 1),
  right: draft => draft.moveTo(draft.cursor + 1),
  home: draft => draft.moveTo(draft.lineAround().from),
  end: draft => draft.moveTo(draft.lineAround().to),
  backspace: draft => draft.removeTo(draft.cursor - 1),
  delete: draft => draft.removeTo(draft.cursor + 1),
  newline: draft => draft.insert('\n'),
  undo: draft => draft.undo(),
  up: draft => moveUp(draft),
  down: draft => moveDown(draft),
  'ctrl+a': draft => draft.moveTo(draft.lineAround().from),
  'ctrl+e': draft => draft.moveTo(draft.lineAround().to),
  'ctrl+b': draft => draft.moveTo(draft.cursor - 1),
  'ctrl+f': draft => draft.moveTo(draft.cursor + 1),
  'ctrl+d': draft => draft.removeTo(draft.cursor + 1),
  'ctrl+k': draft => draft.removeTo(draft.lineAround().to, true),
  'ctrl+u': draft => draft.removeTo(draft.lineAround().from, true),
  'ctrl+w': draft => draft.removeTo(draft.wordBefore(), true),
  'ctrl+y': draft => draft.yank(),
  'ctrl+left': draft => draft.moveTo(draft.wordBefore()),
  'ctrl+right': draft => draft.moveTo(draft.wordBehind()),
  'meta+b': draft => draft.moveTo(draft.wordBefore()),
  'meta+f': draft => draft.moveTo(draft.wordBehind()),
  'meta+left': draft => draft.moveTo(draft.wordBefore()),
  'meta+right': draft => draft.moveTo(draft.wordBehind()),
  'meta+backspace': draft => draft.removeTo(draft.wordBefore(), true),
  'meta+d': draft => draft.removeTo(draft.wordBehind(), true),
  'meta+return': draft => draft.insert('\n'),
}

/** True if the key was one for the draft. */
export function editDraft(draft: Draft, key: Key): boolean {
  const edit = KEYS[chordOf(key)]
  if (edit) edit(draft)
  else if (key.text !== '' && !key.ctrl && !key.meta) draft.insert(key.text)
  else return false
  return true
}

/** `ctrl+a`, `meta+left`, `up`. */
export function chordOf({ name, ctrl, meta }: Pick<Key, 'name' | 'ctrl' | 'meta'>): string {
  return `${ctrl ? 'ctrl+' : ''}${meta ? 'meta+' : ''}${name}`
}

/** Within the lines of the draft first, then to what was sent before. */
function moveUp(draft: Draft): void {
  const { from } = draft.lineAround()
  if (from === 0) {
    draft.earlier()
    return
  }
  const column = draft.cursor - from
  draft.moveTo(from - 1)
  const above = draft.lineAround()
  draft.moveTo(Math.min(above.to, above.from + column))
}

function moveDown(draft: Draft): void {
  const { from, to } = draft.lineAround()
  if (to === draft.cells.length) {
    draft.later()
    return
  }
  const column = draft.cursor - from
  draft.moveTo(to + 1)
  draft.moveTo(Math.min(draft.lineAround().to, draft.lineAround().from + column))
}
