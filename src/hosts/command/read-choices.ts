import { refused } from '../../core/errors.ts'
import type { Choice, Choices } from '../../runtime/pauses/chosen-decisions.ts'
import { readText } from '../process/read-text.ts'
import { argumentRefusals } from '../refusals/argument-refusals.ts'
import { jsonObject } from './flag-values.ts'
import type { Given } from './flags.ts'

const CHOICE_FLAGS: readonly string[] = ['approve', 'reject', 'approve-all', 'reject-all', 'edit', 'answer']

/**
 * The flags about single calls; `null` if there are none. Beside a rejection, the reason is that of what is rejected: no
 * model is told "not on a Friday" of a call that may run. @throws RefusedError for flags that contradict one another.
 */
export async function readChoices(given: Given): Promise<Choices | null> {
  const said = given.value('reason')
  const reason = said?.trim() ? said : null
  if (!CHOICE_FLAGS.some(flag => given.has(flag))) return noChoices(given, reason)
  const [all, none] = [given.has('approve-all'), given.has('reject-all')]
  if (all && none) throw argumentRefusals.approveAndRejectAll()
  const verdicts = (flag: 'approve' | 'reject'): Choice[] =>
    [...new Set(given.values(flag))].map(id => ({ id, verdict: flag, reason: null }))
  const edits = await Promise.all(given.values('edit').map(readEdit))
  const each = [...verdicts('approve'), ...verdicts('reject'), ...edits, ...given.values('answer').map(readAnswer)]
  refuseContradictions(each)
  const rest = all ? 'approve' : none ? 'reject' : null
  const isRefusing = [...each.map(({ verdict }) => verdict), rest].includes('reject')
  const reasonFor = (verdict: Choice['verdict']) => (isRefusing && verdict !== 'reject' ? null : reason)
  return {
    each: each.map(choice => ({ ...choice, reason: reasonFor(choice.verdict) })),
    rest,
    reason: rest === null ? null : reasonFor(rest),
    digests: readDigests(given),
  }
}

function noChoices(given: Given, reason: string | null): null {
  const hint = 'Add --approve, --reject, --edit or --answer.'
  if (reason !== null) throw refused('reason_alone', '--reason was given without a decision.', hint)
  if (given.has('digest')) throw refused('invalid_arguments', '--digest was given without a decision.', hint)
  return null
}

/** P9: by the id of a call or its hold. */
function readDigests(given: Given): ReadonlyMap<string, string> {
  const digests = new Map<string, string>()
  for (const [id, digest] of given.values('digest').map(text => split(text, '--digest ID=DIGEST'))) {
    if ((digests.get(id) ?? digest) !== digest) throw argumentRefusals.twoDigests(id)
    digests.set(id, digest)
  }
  return digests
}

async function readEdit(text: string): Promise<Choice> {
  const [id, value] = split(text, '--edit ID=JSON')
  const json = value.startsWith('@') ? await readText(value.slice(1), `The arguments of ${id}`) : value
  const hint = 'Write --edit ID=\'{"name": …}\', or --edit ID=@file.json.'
  const args = jsonObject(json, { what: `The edit of ${id}`, hint })
  return { id, verdict: 'edit', arguments: args, reason: null }
}

function readAnswer(text: string): Choice {
  const [id, value] = split(text, '--answer ID=TEXT')
  if (value.trim() === '') throw argumentRefusals.emptyAnswer(id)
  return { id, verdict: 'answer', text: value, reason: null }
}

function split(text: string, form: string): [id: string, value: string] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
  throw argumentRefusals.noId(text, form)
}

function refuseContradictions(each: readonly Choice[]): void {
  const verdicts = new Map<string, Choice['verdict']>()
  for (const { id, verdict } of each) {
    if (verdicts.has(id)) throw argumentRefusals.decidedBothWays(id)
    verdicts.set(id, verdict)
  }
}
