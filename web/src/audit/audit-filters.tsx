import { type ReactElement, type ReactNode, useId } from 'react'
import { CONTROL } from '../parts/field.tsx'

interface FiltersProps {
  readonly filter: Readonly<Record<string, string>>
  readonly onChange: (name: string, value: string) => void
}

/** What is shown: these two, or one kind of record. */
export const DECISIONS = 'decisions'
export const EVERYTHING = 'everything'

const KINDS: Readonly<Record<string, string>> = {
  [DECISIONS]: 'Decisions',
  [EVERYTHING]: 'Everything',
  'hold.opened': 'Something was asked',
  'hold.shown': 'It was shown',
  'hold.decided': 'It was decided',
  'hold.expired': 'A deadline decided',
  'decision.refused': 'A decision was refused',
  'run.started': 'A run started',
  'run.finished': 'A run ended',
  'cancel.requested': 'A run was cancelled',
  'call.started': 'A tool ran',
  'grant.given': 'A grant was given',
  'grant.revoked': 'A grant was revoked',
  'access.added': 'A token was added',
  'access.revoked': 'A token was revoked',
  'place.trusted': 'A container or sandbox was trusted',
}

/** In hours. */
const TIMES: Readonly<Record<string, string>> = {
  '': 'Any time',
  1: 'The last hour',
  24: 'The last day',
  168: 'The last week',
}

const PLACES: Readonly<Record<string, string>> = { hold_id: 'Hold', run_id: 'Run', thread_id: 'Conversation' }

export function AuditFilters({ filter, onChange }: FiltersProps): ReactElement {
  return (
    <search className="mt-6 flex flex-wrap items-end gap-3">
      <Choice
        label="What"
        value={filter['show'] ?? DECISIONS}
        words={KINDS}
        onChange={value => onChange('show', value === DECISIONS ? '' : value)}
      />
      <Name label="Who" name="actor" filter={filter} onChange={onChange} />
      <Name label="Agent" name="agent" filter={filter} onChange={onChange} />
      <Choice label="When" value={filter['since'] ?? ''} words={TIMES} onChange={value => onChange('since', value)} />
      <PlaceFilters filter={filter} onChange={onChange} />
    </search>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly words: Readonly<Record<string, string>>
  readonly onChange: (value: string) => void
}

function Choice({ label, value, words, onChange }: ChoiceProps): ReactElement {
  return (
    <Labelled label={label}>
      {id => (
        <select id={id} value={value} onChange={({ target }) => onChange(target.value)} className={CONTROL}>
          {Object.entries(words).map(([each, name]) => (
            <option key={each} value={each}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  )
}

interface NameProps extends FiltersProps {
  readonly label: string
  readonly name: string
}

function Name({ label, name, filter, onChange }: NameProps): ReactElement {
  return (
    <Labelled label={label}>
      {id => (
        <input
          id={id}
          defaultValue={filter[name] ?? ''}
          placeholder="A name, in full"
          onBlur={({ target }) => onChange(name, target.value.trim())}
          onKeyDown={({ key, currentTarget }) => key === 'Enter' && onChange(name, currentTarget.value.trim())}
          className={CONTROL}
        />
      )}
    </Labelled>
  )
}

interface LabelledProps {
  readonly label: string
  readonly children: (id: string) => ReactNode
}

function Labelled({ label, children }: LabelledProps): ReactElement {
  const id = useId()
  return (
    <div className="flex-1 basis-36">
      <label htmlFor={id} className="mb-1 block text-muted text-xs">
        {label}
      </label>
      {children(id)}
    </div>
  )
}

function PlaceFilters({ filter, onChange }: FiltersProps): readonly ReactNode[] {
  return Object.entries(PLACES).map(
    ([name, label]) =>
      filter[name] && (
        <button
          key={name}
          type="button"
          onClick={() => onChange(name, '')}
          className="min-h-11 max-w-full truncate rounded-lg bg-accent-soft px-3 text-accent text-sm sm:min-h-10"
        >
          {label} {filter[name]} ×
        </button>
      ),
  )
}
