import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useId } from 'react'
import { get } from '../../api/client.ts'
import type { Documents } from '../../api/documents.ts'
import { Field } from '../../parts/field.tsx'
import type { SpawnFault, SpawnWish } from './spawn-wish.ts'

interface FieldsProps {
  readonly wish: SpawnWish
  readonly fault: SpawnFault
  readonly onChange: (wish: SpawnWish) => void
}

export function SpawnFields({ wish, fault, onChange }: FieldsProps): ReactElement {
  const change = (changed: Partial<SpawnWish>) => onChange({ ...wish, ...changed })
  const names = useDefinitions()
  return (
    <>
      <Field label="What shall it do?" error={fault.input ?? null}>
        {control => (
          <textarea
            {...control}
            dir="auto"
            rows={3}
            required
            value={wish.input}
            onChange={({ target }) => change({ input: target.value })}
          />
        )}
      </Field>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Field label="Name (may be left out)" error={fault.name ?? null}>
          {control => (
            <input {...control} value={wish.name} onChange={({ target }) => change({ name: target.value })} />
          )}
        </Field>
        <Field label="Agent" error={fault.agent ?? null}>
          {control => (
            <select {...control} value={wish.agent} onChange={({ target }) => change({ agent: target.value })}>
              <option value="">The usual one</option>
              {withOwn(names, wish.agent).map(name => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <Choice
        label="Stay for my next message"
        isOn={wish.isInteractive}
        error={fault.isInteractive}
        onChange={isInteractive => change({ isInteractive })}
      />
      {wish.isInteractive && <IdleFields {...{ wish, fault, change }} />}
      <Choice
        label="Work in a git worktree of its own"
        isOn={wish.worktree}
        error={fault.worktree}
        onChange={worktree => change({ worktree })}
      />
    </>
  )
}

interface IdleProps extends Pick<FieldsProps, 'wish' | 'fault'> {
  readonly change: (changed: Partial<SpawnWish>) => void
}

/** For one that stays. */
function IdleFields({ wish, fault, change }: IdleProps): ReactElement {
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <Field label="Idle for at most, in seconds" error={fault.idleTimeout ?? null}>
        {control => (
          <input
            {...control}
            inputMode="decimal"
            placeholder="0: no limit"
            value={wish.idleTimeout}
            onChange={({ target }) => change({ idleTimeout: target.value })}
          />
        )}
      </Field>
      <Field label="After that" error={fault.onIdle ?? null}>
        {control => (
          <select {...control} value={wish.onIdle} onChange={({ target }) => change({ onIdle: target.value })}>
            <option value="">As the agent says</option>
            <option value="park">Park it: a message wakes it</option>
            <option value="end">End it: it is done</option>
          </select>
        )}
      </Field>
    </div>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly isOn: boolean
  readonly error: string | undefined
  readonly onChange: (isOn: boolean) => void
}

function Choice({ label, isOn, error, onChange }: ChoiceProps): ReactElement {
  const id = useId()
  return (
    <div>
      <label className="flex min-h-11 cursor-pointer items-center gap-2.5 text-sm sm:min-h-8">
        <input
          type="checkbox"
          checked={isOn}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? id : undefined}
          onChange={() => onChange(!isOn)}
          className="size-4.5 cursor-pointer accent-accent"
        />
        {label}
      </label>
      {error && (
        <p id={id} role="alert" className="mt-1.5 text-bad text-sm">
          {error}
        </p>
      )}
    </div>
  )
}

/** None until the server has told them: the usual one needs no name. */
function useDefinitions(): readonly string[] {
  const ask = () => get<Documents['Definitions']>('/v1/definitions')
  return useQuery({ queryKey: ['definitions'], queryFn: ask }).data?.definitions.map(({ name }) => name) ?? []
}

/** A draft may name one that is there no more: the server tells so, at its field. */
function withOwn(names: readonly string[], own: string): readonly string[] {
  return own === '' || names.includes(own) ? names : [...names, own]
}
