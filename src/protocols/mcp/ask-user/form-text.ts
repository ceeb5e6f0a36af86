import { type Hold, usualMessage } from '../../../core/hold/hold.ts'
import { holdRemarks } from '../../../core/hold-view/hold-remarks.ts'
import { namedBasis, SAYS_NEVER } from '../../../core/hold-view/hold-words.ts'
import { previewLines } from '../../../core/hold-view/preview-lines.ts'
import type { Json } from '../../../core/text/json.ts'
import type { Asking, Identity } from '../offer/offer.ts'

/**
 * P9: what a person must have seen to decide, in full. Nothing that an agent wrote can look like a line of ours: it is set
 * in.
 */
export function formText(
  hold: Hold,
  { person, visibleText }: Pick<Identity, 'person'> & Pick<Asking, 'visibleText'>,
): string {
  const { id, agent, run_id, kind, tool, destructive } = hold
  const setIn = (text: string) => visibleText(text).replaceAll(/^/gm, '    ')
  const said = hold.message === '' ? usualMessage(tool ?? 'this call') : hold.message
  const bodies: readonly (readonly [title: string, body: Json])[] = [
    [`${visibleText(tool ?? 'The call')} with`, hold.arguments],
    ['Context', hold.context],
    ['On the basis of', namedBasis(hold)],
    ['Choices', hold.choices],
    ['The answer must match', hold.response_schema],
  ]
  return [
    `${visibleText(agent)} waits for you (${kind}):`,
    ...(hold.overrides_never ? [SAYS_NEVER] : []),
    setIn(said),
    ...holdRemarks(hold).map(setIn),
    ...bodies.flatMap(([title, body]) => (body === null ? [] : [`${title}:`, setIn(bodyText(body))])),
    ...(hold.preview ? ['What it would do:', ...previewLines(hold.preview).map(({ text }) => setIn(text))] : []),
    ...(destructive ? ['What it does cannot be taken back.'] : []),
    `What you say is recorded as ${visibleText(person)}. (${id} of ${run_id})`,
  ].join('\n')
}

function bodyText(body: Json): string {
  return typeof body === 'string' ? body : JSON.stringify(body, null, 2)
}
