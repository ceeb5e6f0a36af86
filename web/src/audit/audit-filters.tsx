import { type ReactElement, useId } from 'react'
import { CONTROL } from '../parts/field.tsx'

interface FiltersProps {
  readonly filter: Readonly<Record<string, string>>
  readonly onChange: (name: string, value: string) => void
}

const KINDS: Readonly<Record<string, string>> = {
  'hold.opened': 'Something was asked',
  'hold.shown': 'It was shown',
  'hold.decided': 'It was decided',
  'hold.expired': 'A deadline decided',
  'decision.refused': 'A decision was refused',
  'run.started': 'A run started',
  'run.finished': 'A run ended',
  'cancel.requested': 'A run was cancelled',
  'call.started': 'A tool ran',
  'grant.revoked': 'A grant was revoked',
  'access.added': 'A token was added',
  'access.revoked': 'A token was revoked',
}

const PLACES: Readonly<Record<string, string>> = { hold_id: 'Hold', run_id: 'Run', thread_id: 'Conversation' }

export function AuditFilters({ filter, onChange }: FiltersProps): ReactElement {
  const id = useId()
  return (
    <search className="mt-6 flex flex-wrap items-end gap-3">
      <div className="flex-1 basis-44">
        <label htmlFor={`${id}-kind`} className="mb-1 block text-muted text-xs">
          What
        </label>
        <select
          id={`${id}-kind`}
          value={filter['kind'] ?? ''}
          onChange={({ target }) => onChange('kind', target.value)}
          className={CONTROL}
        >
          <option value="">Everything</option>
          {Object.entries(KINDS).map(([kind, name]) => (
            <option key={kind} value={kind}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <div className="flex-1 basis-44">
        <label htmlFor={`${id}-actor`} className="mb-1 block text-muted text-xs">
          Who
        </label>
        <input
          id={`${id}-actor`}
          defaultValue={filter['actor'] ?? ''}
          placeholder="A name, in full"
          onBlur={({ target }) => onChange('actor', target.value.trim())}
          onKeyDown={({ key, currentTarget }) => key === 'Enter' && onChange('actor', currentTarget.value.trim())}
          className={CONTROL}
        />
      </div>
      {Object.entries(PLACES).map(
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
      )}
    </search>
  )
}
