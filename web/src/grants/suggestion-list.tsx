import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { Link } from 'wouter'
import { visibleJson } from '../../../src/core/text/visible-text.ts'
import { get, post } from '../api/client.ts'
import type { Documents } from '../api/documents.ts'
import { counted } from '../load/words.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActions } from '../parts/dialog.tsx'
import { Section } from '../parts/section.tsx'
import { Alert, Loading, Trouble } from '../parts/states.tsx'
import { Ago } from '../parts/time.tsx'
import { endOfDays, UntilField } from '../parts/until-field.tsx'
import { LongText } from '../text/long-text.tsx'
import { Visible } from '../text/visible.tsx'
import type { Suggestion } from './grant-words.ts'
import { useGrantChange } from './use-grant-change.ts'

/**
 * Rules that would have avoided questions, for people who may add them. Calls that people refused are never offered.
 */
export function SuggestionList(): ReactElement {
  const [chosen, setChosen] = useState<Suggestion | null>(null)
  const { data, error, refetch } = useQuery({
    queryKey: ['suggestions'],
    queryFn: ({ signal }) => get<Documents['Suggestions']>('/v1/grants/suggestions', {}, signal),
  })
  return (
    <Section title="Suggested rules">
      {data ? (
        <Suggestions suggestions={data.suggestions} onChoose={setChosen} />
      ) : error ? (
        <Trouble error={error} again={() => void refetch()} />
      ) : (
        <Loading rows={2} />
      )}
      {chosen && <SwitchOn suggestion={chosen} onClose={() => setChosen(null)} />}
    </Section>
  )
}

interface SuggestionsProps {
  readonly suggestions: readonly Suggestion[]
  readonly onChoose: (suggestion: Suggestion) => void
}

function Suggestions({ suggestions, onChoose }: SuggestionsProps): ReactElement {
  if (suggestions.length === 0)
    return <p className="text-muted text-sm">No other rule would have spared two approvals of the last 90 days.</p>
  return (
    <ul aria-label="Suggested rules" className="grid gap-4">
      {suggestions.map(suggestion => (
        <SuggestionCard
          key={JSON.stringify([suggestion.agent, suggestion.rule])}
          suggestion={suggestion}
          onChoose={() => onChoose(suggestion)}
        />
      ))}
    </ul>
  )
}

interface SwitchOnProps {
  readonly suggestion: Suggestion
  readonly onClose: () => void
}

const USUAL_DAYS = '30'

/** A suggested rule becomes a grant for the project, with an end. */
function SwitchOn({ suggestion: { agent, rule }, onClose }: SwitchOnProps): ReactElement {
  const [days, setDays] = useState(USUAL_DAYS)
  const { tool, match } = rule
  const { busy, trouble, change } = useGrantChange(
    () => post('/v1/grants', { agent, tool, match, expires_at: endOfDays(days) }),
    onClose,
  )
  return (
    <Dialog title="Switch this rule on?" onClose={onClose}>
      <p className="text-sm">
        <Visible
          text={`${agent} may then call ${tool} with such arguments without asking, in all runs of the project:`}
        />
      </p>
      <div className="mt-2 mb-4 rounded-lg bg-sunken px-3 py-2">
        <LongText text={visibleJson({ ...match })} />
      </div>
      <UntilField days={days} onChange={setDays} />
      <Alert text={trouble} className="mt-2" />
      <DialogActions>
        <Button onClick={onClose}>Keep asking</Button>
        <Button look="good" busy={busy} onClick={change}>
          Switch on
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface CardProps {
  readonly suggestion: Suggestion
  readonly onChoose: () => void
}

/** A rule with its evidence, and the way to switch it on. */
function SuggestionCard({ suggestion, onChoose }: CardProps): ReactElement {
  const { agent, rule, spared, of, replayed_over, approved_by, lets_pass } = suggestion
  const [newest] = lets_pass
  return (
    <li className="rounded-xl border border-line bg-card p-4 shadow-card sm:p-5">
      <div className="flex items-start gap-3">
        <h3 className="min-w-0 flex-1 break-words font-semibold">
          <Visible text={`${rule.tool} of ${agent}`} />
        </h3>
        <Badge look="good">
          spares {spared} of {counted(of, 'question')}
        </Badge>
      </div>
      <div className="mt-3 rounded-lg bg-sunken px-3 py-2">
        <LongText text={visibleJson({ ...rule.match })} />
      </div>
      <p className="mt-3 text-sm">
        Approved {counted(spared, 'time')} by <Visible text={approved_by.join(', ')} />
        {newest && (
          <>
            , the newest <Ago at={newest.decided_at} />
          </>
        )}
        . Of {counted(replayed_over, 'answer')} on record, no refusal is about a call that it covers.
      </p>
      <div className="mt-2 flex flex-wrap items-start gap-3 text-sm">
        <details className="min-w-0 flex-1 basis-64">
          <summary className="min-h-10 content-center text-accent">What it would have let pass</summary>
          <Passed calls={lets_pass} />
        </details>
        <Button className="ml-auto" onClick={onChoose}>
          Switch on…
        </Button>
      </div>
    </li>
  )
}

function Passed({ calls }: { readonly calls: Suggestion['lets_pass'] }): ReactElement {
  return (
    <ul className="grid gap-2">
      {calls.map(({ hold_id, arguments: args, decided_by }) => (
        <li key={hold_id} className="rounded-lg bg-sunken px-3 py-2">
          <LongText text={visibleJson(args)} />
          <Link href={`/holds/${hold_id}`} className="text-accent underline-offset-4 hover:underline">
            Approved by <Visible text={decided_by} />
          </Link>
        </li>
      ))}
    </ul>
  )
}
