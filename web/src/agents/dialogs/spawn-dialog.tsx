import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useId, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { get, post } from '../../api/client.ts'
import type { Documents } from '../../api/documents.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { useDraft } from '../../parts/draft.ts'
import { SelectField, TextField } from '../../parts/field.tsx'
import type { Agent } from '../data/agent-groups.ts'
import type { SpawnWish } from './spawn-wish.ts'
import { NO_WISH, type SpawnFault, spawnBody, spawnFault } from './spawn-wish.ts'

/** Starts an agent in the directory of the server. A draft is kept until it is sent. */
export function SpawnDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const queries = useQueryClient()
  const [wish, change, drop] = useDraft('new-agent', NO_WISH)
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<SpawnFault>({})
  const spawn = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setFault({})
    try {
      const { id } = await post<Agent>('/v1/agents', spawnBody(wish))
      drop()
      onClose()
      navigate(`/agents/${id}`)
      await queries.invalidateQueries({ queryKey: ['agents'] })
    } catch (thrown) {
      setFault(spawnFault(thrown))
      setBusy(false)
    }
  }
  return (
    <Dialog title="A new agent" onClose={onClose}>
      <form onSubmit={spawn} className="grid gap-3 sm:gap-4">
        <SpawnFields wish={wish} fault={fault} onChange={change} />
        <DialogActions>
          <Button onClick={onClose}>Back</Button>
          <Button look="primary" type="submit" busy={busy}>
            Start it
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

interface FieldsProps {
  readonly wish: SpawnWish
  readonly fault: SpawnFault
  readonly onChange: (wish: SpawnWish) => void
}

function SpawnFields({ wish, fault, onChange }: FieldsProps): ReactElement {
  const change = (changed: Partial<SpawnWish>) => onChange({ ...wish, ...changed })
  return (
    <>
      <TextField
        label="What shall it do?"
        error={fault.input}
        rows={3}
        required
        value={wish.input}
        onChange={input => change({ input })}
      />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label="Name (may be left out)"
          error={fault.name}
          value={wish.name}
          onChange={name => change({ name })}
        />
        <AgentField wish={wish} fault={fault} change={change} />
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

interface PartProps extends Pick<FieldsProps, 'wish' | 'fault'> {
  readonly change: (changed: Partial<SpawnWish>) => void
}

function AgentField({ wish, fault, change }: PartProps): ReactElement {
  const names = useDefinitions()
  return (
    <SelectField label="Agent" error={fault.agent} value={wish.agent} onChange={agent => change({ agent })}>
      <option value="">The usual one</option>
      {withOwn(names, wish.agent).map(name => (
        <option key={name}>{name}</option>
      ))}
    </SelectField>
  )
}

/** The fields of an agent that stays after its first turn. */
function IdleFields({ wish, fault, change }: PartProps): ReactElement {
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <TextField
        label="Idle for at most, in seconds"
        error={fault.idleTimeout}
        inputMode="decimal"
        placeholder="0: no limit"
        value={wish.idleTimeout}
        onChange={idleTimeout => change({ idleTimeout })}
      />
      <SelectField label="After that" error={fault.onIdle} value={wish.onIdle} onChange={onIdle => change({ onIdle })}>
        <option value="">As the agent says</option>
        <option value="park">Park it: a message wakes it</option>
        <option value="end">End it: it is done</option>
      </SelectField>
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

/** Empty until the server has listed the definitions: the default one needs no name. */
function useDefinitions(): readonly string[] {
  const ask = () => get<Documents['Definitions']>('/v1/definitions')
  return useQuery({ queryKey: ['definitions'], queryFn: ask }).data?.definitions.map(({ name }) => name) ?? []
}

/** A draft may name a definition that is gone: the server refuses it at its field. */
function withOwn(names: readonly string[], own: string): readonly string[] {
  return own === '' || names.includes(own) ? names : [...names, own]
}
