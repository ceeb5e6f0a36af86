import { type FormEvent, type ReactElement, useState } from 'react'
import { serverNow } from '../api/clock.ts'
import type { ChosenGrant, Outcome } from '../api/decisions.ts'
import type { HoldView, JsonObject } from '../api/documents.ts'
import type { ProblemDocument } from '../api/problem.ts'
import { useMe } from '../api/session.ts'
import { WouldSpare } from '../load/would-spare.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActions } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import type { Bar } from './bar.ts'

interface AlwaysDialogProps {
  readonly bar: Bar
  readonly onClose: () => void
}

const SCOPES: Readonly<Record<ChosenGrant['scope'], string>> = {
  run: 'in this run',
  thread: 'in this conversation',
  project: 'in the whole project',
}

const DAY_MS = 24 * 60 * 60 * 1000
const MAY_GRANT_FOR_PROJECT: readonly string[] = ['operator', 'admin']

/** P6: a standing approval has a name, a reach and an end, all chosen in words. */
export function AlwaysDialog({ bar, onClose }: AlwaysDialogProps): ReactElement {
  const { hold } = bar
  const me = useMe()
  const [name, setName] = useState(`${hold.tool} for ${hold.agent}`)
  const [scope, setScope] = useState<ChosenGrant['scope']>('run')
  const [days, setDays] = useState('7')
  const [patterns, setPatterns] = useState<Readonly<Record<string, string>> | null>(null)
  const mayAll = me !== undefined && MAY_GRANT_FOR_PROJECT.includes(me.role)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const expires_at = scope === 'run' ? null : new Date(serverNow() + Number(days) * DAY_MS).toISOString()
    bar.choose({ verdict: 'approve', grant: { name: name.trim(), scope, expires_at, match: patterns } })
  }
  return (
    <Dialog title={`Always allow ${hold.tool}`} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        <p className="text-sm">This call runs now. Calls like it then run without asking, {SCOPES[scope]}.</p>
        <Field label="Name" hint="By it you find and revoke it.">
          {control => <input {...control} required value={name} onChange={({ target }) => setName(target.value)} />}
        </Field>
        <Field label="How far it reaches">
          {control => (
            <select
              {...control}
              value={scope}
              onChange={({ target }) => setScope(target.value as ChosenGrant['scope'])}
            >
              {Object.entries(SCOPES).map(([each, words]) => (
                <option key={each} value={each} disabled={each === 'project' && !mayAll}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
        {scope !== 'run' && (
          <Field label="Until">
            {control => (
              <select {...control} value={days} onChange={({ target }) => setDays(target.value)}>
                <option value="1">tomorrow</option>
                <option value="7">a week from now</option>
                <option value="30">30 days from now</option>
              </select>
            )}
          </Field>
        )}
        <Patterns hold={hold} patterns={patterns} onChange={setPatterns} />
        <Refusal outcome={bar.deciding.outcome} />
        <DialogActions>
          <Button onClick={onClose}>Back</Button>
          <Button look="good" type="submit" disabled={bar.isWaiting} busy={bar.deciding.isBusy}>
            Approve, and always allow
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** Why it was not recorded. The dialog stays, so that it can be mended here. */
function Refusal({ outcome }: { readonly outcome: Outcome | null }): ReactElement {
  const told =
    outcome?.outcome === 'refused'
      ? wordsOf(outcome.problem)
      : outcome?.outcome === 'unanswered'
        ? 'No answer came. It may be recorded or not. Sent again, it counts once.'
        : ''
  return (
    <p role="alert" className="break-words text-bad text-sm empty:hidden">
      {told}
    </p>
  )
}

function wordsOf({ detail, hint }: ProblemDocument): string {
  return hint === undefined ? detail : `${detail} ${hint}`
}

interface PatternsProps {
  readonly hold: HoldView
  readonly patterns: Readonly<Record<string, string>> | null
  readonly onChange: (patterns: Readonly<Record<string, string>> | null) => void
}

/** Exactly these arguments, or those that fit patterns. */
function Patterns({ hold, patterns, onChange }: PatternsProps): ReactElement {
  const texts = Object.entries((hold.arguments ?? {}) as JsonObject).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  return (
    <fieldset className="grid gap-2 text-sm">
      <legend className="mb-1 font-medium">Which calls</legend>
      <label className="flex min-h-10 items-center gap-2">
        <input
          type="radio"
          name="which"
          checked={patterns === null}
          onChange={() => onChange(null)}
          className="accent-accent"
        />
        Only with exactly the same arguments
      </label>
      {texts.length > 0 && (
        <label className="flex min-h-10 items-center gap-2">
          <input
            type="radio"
            name="which"
            checked={patterns !== null}
            onChange={() => onChange(Object.fromEntries(texts))}
            className="accent-accent"
          />
          With arguments that fit a pattern, in which * stands for any text
        </label>
      )}
      {patterns !== null &&
        Object.entries(patterns).map(([name, pattern]) => (
          <Field key={name} label={name}>
            {control => (
              <input
                {...control}
                className={`${control.className} font-mono text-[0.8125rem]`}
                value={pattern}
                onChange={({ target }) => onChange({ ...patterns, [name]: target.value })}
              />
            )}
          </Field>
        ))}
      {patterns !== null && <WouldSpare hold={hold} match={patterns} />}
    </fieldset>
  )
}
