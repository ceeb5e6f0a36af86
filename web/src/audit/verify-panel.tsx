import { type ReactElement, useRef, useState } from 'react'
import type { AuditHead } from '../../../src/core/audit/audit-chain.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { headText, readHead } from './chain-check.ts'
import { type Stage, useVerification } from './use-verification.ts'

/** Checks the log in this browser: the word of the server about its own log would prove nothing. */
export function VerifyPanel(): ReactElement {
  const { stage, ofServer, ofFile } = useVerification()
  const [text, setText] = useState('')
  const head = text.trim() === '' ? null : readHead(text)
  const isWrong = text.trim() !== '' && head === null
  const noted: readonly AuditHead[] = head === null ? [] : [head]
  const isReading = stage.is === 'reading'
  return (
    <section aria-label="Verify" className="rounded-xl border border-line bg-card p-4 shadow-card sm:p-5">
      <h2 className="font-semibold">Is this log as it was written?</h2>
      <p className="mt-1 max-w-2xl text-muted text-sm">
        Each record has a hash over its text and the hash before it. This browser reads all of them and computes them
        again. It keeps the end of the log, and looks for it the next time.
      </p>
      <details className="mt-3">
        <summary className="w-fit text-accent text-sm">Compare with an end of the log that you noted</summary>
        <NotedEnd text={text} isWrong={isWrong} onChange={setText} />
      </details>
      <div className="mt-4 flex flex-wrap gap-2">
        <Button look="primary" disabled={isWrong} busy={isReading} onClick={() => void ofServer(noted)}>
          Verify the log
        </Button>
        <FileButton disabled={isWrong || isReading} onFile={file => void ofFile(file, noted)} />
      </div>
      <div role="status" className="mt-4 text-sm empty:hidden">
        <Told stage={stage} />
      </div>
    </section>
  )
}

interface NotedEndProps {
  readonly text: string
  readonly isWrong: boolean
  readonly onChange: (text: string) => void
}

function NotedEnd({ text, isWrong, onChange }: NotedEndProps): ReactElement {
  return (
    <TextField
      label="The end that you noted"
      hint="SEQ:HASH, as “holdpoint audit verify” shows it"
      error={isWrong ? 'That is not SEQ:HASH.' : null}
      className="mt-3"
      value={text}
      onChange={onChange}
      spellCheck={false}
      autoComplete="off"
    />
  )
}

interface FileButtonProps {
  readonly disabled: boolean
  readonly onFile: (file: File) => void
}

function FileButton({ disabled, onFile }: FileButtonProps): ReactElement {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button disabled={disabled} onClick={() => input.current?.click()}>
        Verify an export…
      </Button>
      <input
        ref={input}
        type="file"
        className="sr-only"
        tabIndex={-1}
        aria-label="The file of an export"
        onChange={({ target }) => {
          const chosen = target.files?.[0]
          target.value = ''
          if (chosen) onFile(chosen)
        }}
      />
    </>
  )
}

function Told({ stage }: { readonly stage: Stage }): ReactElement | null {
  if (stage.is === 'idle') return null
  if (stage.is === 'reading') return <p className="text-muted">{stage.count.toLocaleString('en')} records read…</p>
  if (stage.is === 'failed') return <p className="text-bad">It could not be read: {stage.why}</p>
  const { checked, of, kept } = stage
  const { count, head, faults, fault_count } = checked
  const isFine = fault_count === 0
  return (
    <div className={`rounded-lg px-4 py-3 ${isFine ? 'bg-good-soft' : 'bg-bad-soft'}`}>
      <p className={`font-medium ${isFine ? 'text-good' : 'text-bad'}`}>
        {count.toLocaleString('en')} records of {of}:{' '}
        {isFine ? 'nothing is wrong.' : `${fault_count} ${fault_count === 1 ? 'fault' : 'faults'}.`}
      </p>
      {kept > 0 && isFine && <p className="mt-1">What this browser saw earlier is still there, unchanged.</p>}
      {!isFine && (
        <ul className="mt-1 list-disc pl-5">
          {faults.map(({ seq, message }) => (
            <li key={`${seq} ${message}`}>{message}</li>
          ))}
        </ul>
      )}
      <p className="mt-2 text-muted text-xs">
        The end, to note elsewhere: <span className="select-all break-all font-mono text-text">{headText(head)}</span>
      </p>
    </div>
  )
}
