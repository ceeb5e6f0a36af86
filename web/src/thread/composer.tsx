import { type FormEvent, type KeyboardEvent, type ReactElement, useRef, useState } from 'react'
import { isReachable } from '../api/connection.ts'
import type { Hold } from '../api/documents.ts'
import { ProblemError } from '../api/problem.ts'
import { useMe } from '../api/session.ts'
import { useShared } from '../api/shared-value.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActions } from '../parts/dialog.tsx'
import { useDraft } from '../parts/draft.ts'
import { readCommand } from './command.ts'
import { decideByCommand, type Refusal } from './decide-by-command.ts'
import type { Recipient } from './recipient.ts'
import { sendWords } from './send.ts'
import { questionIn, WAYS, type Way, waysFor } from './ways.ts'

interface ComposerProps {
  readonly to: Recipient
  readonly open: readonly Hold[]
}

/** A message to the agent, or a decision in words. */
export function Composer({ to, open }: ComposerProps): ReactElement {
  const [text, setText, dropText] = useDraft(`thread.${to.threadId}`, '')
  const [chosen, choose] = useState<Way | null>(null)
  const [trouble, setTrouble] = useState<Refusal>(null)
  const [busy, setBusy] = useState(false)
  const asking = useConfirm()
  const reachable = useShared(isReachable)
  const ways = useWays(open, to)
  const way = chosen !== null && ways.includes(chosen) ? chosen : (ways[0] ?? null)
  const objection = useObjection(way)
  const submit = async (event?: FormEvent) => {
    event?.preventDefault()
    if (text.trim() === '' || busy || !reachable) return
    setBusy(true)
    const refusal = await said({ to, text: text.trim(), way, open, confirm: asking.confirm })
    setTrouble(refusal)
    setBusy(false)
    if (refusal === null) dropText()
  }
  if (objection !== null)
    return <p className="border-line border-t bg-card px-4 py-3 text-muted text-sm">{objection}</p>
  return (
    <form onSubmit={submit} className="border-line border-t bg-card px-4 py-3 sm:px-8">
      <div className="mx-auto grid max-w-[44rem] gap-2">
        {ways.length > 0 && <Ways ways={ways} way={way} onChoose={choose} />}
        {trouble !== null && (
          <p role="alert" className="text-bad text-sm">
            {trouble}
          </p>
        )}
        <div className="flex items-end gap-2">
          <textarea
            aria-label="Message"
            placeholder={way === 'answer' ? 'Your answer' : 'Message, /approve, /deny why'}
            rows={Math.min(Math.max(text.split('\n').length, 1), 8)}
            value={text}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={event => isSend(event) && void submit()}
            className="max-h-48 min-h-11 flex-1 resize-none rounded-lg border border-strong-line bg-card px-3 py-2.5 text-text placeholder:text-muted"
          />
          <Button look="primary" type="submit" busy={busy} disabled={!reachable || text.trim() === ''}>
            {reachable ? 'Send' : 'Waits for the network'}
          </Button>
        </div>
      </div>
      {asking.dialog}
    </form>
  )
}

/** Enter sends and Shift+Enter does not. On a phone the key is for new lines. */
function isSend({ key, shiftKey, nativeEvent }: KeyboardEvent): boolean {
  const isByThumb = matchMedia('(pointer: coarse)').matches
  return key === 'Enter' && !shiftKey && !nativeEvent.isComposing && !isByThumb
}

interface Saying {
  readonly to: Recipient
  readonly text: string
  readonly way: Way | null
  readonly open: readonly Hold[]
  readonly confirm: (question: string) => Promise<boolean>
}

async function said({ to, text, way, open, confirm }: Saying): Promise<Refusal> {
  const command = readCommand(text)
  if (command?.verb === 'unknown') return `${command.word} is no command. There are /approve, and /deny with a reason.`
  try {
    if (command !== null) return await decideByCommand(command, confirm)
    await sendWords({ to, text, way, question: questionIn(open) })
    return null
  } catch (thrown) {
    if (!(thrown instanceof ProblemError)) return 'No answer came. Send it again: it counts once.'
    const { detail, hint } = thrown.problem
    return hint ? `${detail} ${hint}` : detail
  }
}

/** Those that this person may choose. */
function useWays(open: readonly Hold[], to: Recipient): readonly Way[] {
  const role = useMe()?.role
  const ways = waysFor(open, to)
  return role === 'decider' ? ways.filter(way => way === 'answer') : ways
}

/** Why this person sends nothing; `null` if they may. */
function useObjection(way: Way | null): string | null {
  const role = useMe()?.role
  if (role === 'viewer') return 'Your role is viewer: you may look, and send nothing.'
  if (role === 'decider' && way !== 'answer')
    return 'Your role is decider: you may answer what waits, and start nothing new.'
  return null
}

interface WaysProps {
  readonly ways: readonly Way[]
  readonly way: Way | null
  readonly onChoose: (way: Way) => void
}

function Ways({ ways, way, onChoose }: WaysProps): ReactElement {
  return (
    <fieldset className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <legend className="sr-only">What becomes of this message</legend>
      <div className="flex rounded-lg bg-sunken p-1">
        {ways.map(each => (
          <button
            key={each}
            type="button"
            aria-pressed={each === way}
            onClick={() => onChoose(each)}
            className="min-h-9 rounded-md px-3 text-muted text-xs aria-pressed:bg-card aria-pressed:font-medium aria-pressed:text-text aria-pressed:shadow-card"
          >
            {WAYS[each].name}
          </button>
        ))}
      </div>
      <p className="text-muted text-xs">{way !== null && WAYS[way].means}</p>
    </fieldset>
  )
}

interface Asking {
  readonly confirm: (question: string) => Promise<boolean>
  readonly dialog: ReactElement | null
}

/** Asks once more, in a dialog. */
function useConfirm(): Asking {
  const [question, setQuestion] = useState<string | null>(null)
  const answer = useRef<(sure: boolean) => void>(() => {})
  const end = (sure: boolean) => {
    setQuestion(null)
    answer.current(sure)
  }
  const confirm = (asked: string) => {
    setQuestion(asked)
    return new Promise<boolean>(resolve => {
      answer.current = resolve
    })
  }
  const dialog = question !== null && (
    <Dialog title={question} onClose={() => end(false)}>
      <DialogActions>
        <Button onClick={() => end(false)}>Not now</Button>
        <Button look="bad" onClick={() => end(true)}>
          Approve
        </Button>
      </DialogActions>
    </Dialog>
  )
  return { confirm, dialog: dialog || null }
}
