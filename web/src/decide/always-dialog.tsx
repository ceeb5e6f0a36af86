import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useDeferredValue, useState } from 'react'
import { post } from '../api/client.ts'
import type { ChosenGrant, Outcome } from '../api/decisions.ts'
import type { Documents, HoldView, JsonObject } from '../api/documents.ts'
import type { ProblemDocument } from '../api/problem.ts'
import { isOperator, useMe } from '../api/session.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActions } from '../parts/dialog.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { Alert } from '../parts/states.tsx'
import { endOfDays, UntilField } from '../parts/until-field.tsx'
import type { Bar } from './bar.ts'

interface AlwaysDialogProps {
  readonly bar: Bar
  readonly onClose: () => void
}

type Scope = ChosenGrant['scope']

const SCOPES: Readonly<Record<Scope, string>> = {
  run: 'in this run',
  thread: 'in this conversation',
  project: 'in the whole project',
}

/** P6: a standing approval has a name, a reach and an end, all chosen in words. */
export function AlwaysDialog({ bar, onClose }: AlwaysDialogProps): ReactElement {
  const { hold } = bar
  const [name, setName] = useState(`${hold.tool} for ${hold.agent}`)
  const [scope, setScope] = useState<Scope>('run')
  const [days, setDays] = useState('7')
  const [patterns, setPatterns] = useState<Readonly<Record<string, string>> | null>(null)
  const mayAll = isOperator(useMe())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const expires_at = scope === 'run' ? null : endOfDays(days)
    bar.choose({ verdict: 'approve', grant: { name: name.trim(), scope, expires_at, match: patterns } })
  }
  return (
    <Dialog title={`Always allow ${hold.tool}`} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        <p className="text-sm">This call runs now. Calls like it then run without asking, {SCOPES[scope]}.</p>
        <TextField label="Name" hint="By it you find and revoke it." required value={name} onChange={setName} />
        <SelectField label="How far it reaches" value={scope} onChange={each => setScope(each as Scope)}>
          {Object.entries(SCOPES).map(([each, words]) => (
            <option key={each} value={each} disabled={each === 'project' && !mayAll}>
              {words}
            </option>
          ))}
        </SelectField>
        {scope !== 'run' && <UntilField days={days} onChange={setDays} />}
        <Patterns hold={hold} patterns={patterns} onChange={setPatterns} />
        <Alert text={refusalIn(bar.deciding.outcome)} />
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

/** Why the choice was not recorded. The dialog stays open, so that it can be corrected. */
function refusalIn(outcome: Outcome | null): string | null {
  if (outcome?.outcome === 'refused') return wordsOf(outcome.problem)
  if (outcome?.outcome !== 'unanswered') return null
  return 'No answer came. It may be recorded or not. Sent again, it counts once.'
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
      <Which isOn={patterns === null} onChoose={() => onChange(null)}>
        Only with exactly the same arguments
      </Which>
      {texts.length > 0 && (
        <Which isOn={patterns !== null} onChoose={() => onChange(Object.fromEntries(texts))}>
          With arguments that fit a pattern, in which * stands for any text
        </Which>
      )}
      {patterns !== null &&
        Object.entries(patterns).map(([name, pattern]) => (
          <TextField
            key={name}
            label={name}
            isCode
            value={pattern}
            onChange={changed => onChange({ ...patterns, [name]: changed })}
          />
        ))}
      {patterns !== null && <WouldSpare hold={hold} match={patterns} />}
    </fieldset>
  )
}

interface WhichProps {
  readonly isOn: boolean
  readonly onChoose: () => void
  readonly children: string
}

function Which({ isOn, onChoose, children }: WhichProps): ReactElement {
  return (
    <label className="flex min-h-10 items-center gap-2">
      <input type="radio" name="which" checked={isOn} onChange={onChoose} className="accent-accent" />
      {children}
    </label>
  )
}

interface WouldSpareProps {
  readonly hold: Pick<HoldView, 'agent' | 'tool'>
  readonly match: Readonly<Record<string, string>>
}

/** P6: the patterns replayed over the last approvals, with those that people rejected. */
function WouldSpare({ hold: { agent, tool }, match: typed }: WouldSpareProps): ReactElement {
  const match = useDeferredValue(typed)
  const { data } = useQuery({
    queryKey: ['replay', agent, tool, match],
    queryFn: () => post<Documents['RuleReplay']>('/v1/report/replay', { agent, tool, match }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <p role="status" className="min-h-5 text-muted text-sm">
      {data && `It would have let pass ${data.spared} of the last ${data.of}.`}
      {data && data.rejected.length > 0 && (
        <span className="text-bad"> Of these, people rejected {data.rejected.length}.</span>
      )}
    </p>
  )
}
