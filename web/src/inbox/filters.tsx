import type { ReactElement } from 'react'
import { useRef } from 'react'
import { HOLD_KINDS } from '../../../src/core/hold/hold.ts'
import type { HoldRow } from '../api/documents.ts'
import { useVerbs } from '../keys/use-verbs.ts'
import { KIND_NAMES } from '../parts/kinds.ts'
import { type Filter, isNarrowed, STATUSES } from './filter.ts'

interface FiltersProps {
  readonly filter: Filter
  /** The rows whose agents and tools are offered. */
  readonly rows: readonly HoldRow[]
  readonly onChange: (filter: Filter) => void
}

const STATUS_NAMES: Readonly<Record<Filter['status'], string>> = {
  open: 'Waiting',
  decided: 'Decided',
  expired: 'Expired',
  withdrawn: 'Withdrawn',
  exported: 'Moved away',
  all: 'All',
}

export function Filters({ filter, rows, onChange }: FiltersProps): ReactElement {
  const words = useRef<HTMLInputElement>(null)
  useVerbs({ filter: () => words.current?.focus() })
  const change = (part: Partial<Filter>) => onChange({ ...filter, ...part })
  return (
    <search className="grid gap-2 border-line border-b p-3">
      <div className="flex gap-1.5">
        <input
          ref={words}
          type="search"
          aria-label="Filter the list"
          placeholder="Filter"
          value={filter.words}
          onChange={({ target }) => change({ words: target.value })}
          className="min-h-10 w-full min-w-0 rounded-lg border border-line bg-sunken px-3 placeholder:text-muted"
        />
        <Toggle isOn={filter.mine} onToggle={() => change({ mine: !filter.mine })} />
        {isNarrowed(filter) && (
          <button
            type="button"
            onClick={() => onChange({ ...NOTHING, status: filter.status })}
            className="min-h-10 rounded-lg px-2 text-accent text-sm hover:bg-hover"
          >
            Clear
          </button>
        )}
      </div>
      <div className="grid grid-cols-[1.35fr_1fr_1.1fr_1fr] gap-1.5">
        <Choices filter={filter} rows={rows} change={change} />
      </div>
    </search>
  )
}

function Toggle({ isOn, onToggle }: { readonly isOn: boolean; readonly onToggle: () => void }): ReactElement {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onToggle}
      className="min-h-10 rounded-lg border border-line px-2.5 text-muted text-sm hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
    >
      Mine
    </button>
  )
}

interface ChoicesProps extends Pick<FiltersProps, 'filter' | 'rows'> {
  readonly change: (part: Partial<Filter>) => void
}

function Choices({ filter, rows, change }: ChoicesProps): ReactElement {
  return (
    <>
      <Choice
        label="Status"
        value={filter.status}
        choices={STATUSES.map(status => [status, STATUS_NAMES[status]])}
        onChoose={status => change({ status: STATUSES.find(each => each === status) ?? 'open' })}
      />
      <Choice
        label="Kind"
        value={filter.kind ?? ''}
        choices={[['', 'Kind'], ...HOLD_KINDS.map(kind => [kind, KIND_NAMES[kind]] as const)]}
        onChoose={kind => change({ kind: HOLD_KINDS.find(each => each === kind) ?? null })}
      />
      <Choice
        label="Agent"
        value={filter.agent ?? ''}
        choices={[['', 'Agent'], ...named(rows, 'agent', filter.agent)]}
        onChoose={agent => change({ agent: agent || null })}
      />
      <Choice
        label="Tool"
        value={filter.tool ?? ''}
        choices={[['', 'Tool'], ...named(rows, 'tool', filter.tool)]}
        onChoose={tool => change({ tool: tool || null })}
      />
    </>
  )
}

const NOTHING: Omit<Filter, 'status'> = { kind: null, agent: null, tool: null, assignee: null, mine: false, words: '' }

/** The names in these rows, and the one that is chosen. */
function named(
  rows: readonly HoldRow[],
  part: 'agent' | 'tool',
  chosen: string | null,
): readonly (readonly [value: string, name: string])[] {
  const names = new Set([chosen, ...rows.map(row => row[part])].filter(name => name !== null))
  return [...names].toSorted().map(name => [name, name])
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly choices: readonly (readonly [value: string, name: string])[]
  readonly onChoose: (value: string) => void
}

function Choice({ label, value, choices, onChoose }: ChoiceProps): ReactElement {
  const isSet = value !== '' && value !== 'open'
  return (
    <select
      aria-label={label}
      value={value}
      onChange={({ target }) => onChoose(target.value)}
      className={`min-h-9 w-full min-w-0 truncate rounded-lg border px-1.5 text-sm hover:bg-hover ${isSet ? 'border-accent bg-accent-soft text-accent' : 'border-line bg-card text-muted'}`}
    >
      {choices.map(([each, name]) => (
        <option key={each} value={each} className="bg-card text-text">
          {name}
        </option>
      ))}
    </select>
  )
}
