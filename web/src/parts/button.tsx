import type { ButtonHTMLAttributes, ReactElement } from 'react'

export type ButtonLook = 'plain' | 'primary' | 'good' | 'bad' | 'quiet'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: ButtonLook
  /** Under way: it cannot be pressed again. */
  readonly busy?: boolean
  /** True for words of others, which may be long: they take several lines. */
  readonly wraps?: boolean
}

const LOOKS: Readonly<Record<ButtonLook, string>> = {
  plain: 'border-line bg-card text-text hover:bg-hover',
  primary: 'border-accent bg-accent text-on-accent hover:opacity-90',
  good: 'border-good bg-good text-on-good hover:opacity-90',
  bad: 'border-bad bg-card text-bad hover:bg-bad-soft',
  quiet: 'border-transparent bg-transparent text-muted hover:bg-hover hover:text-text',
}

/** The height fits a thumb. */
const SHAPE =
  'inline-flex min-h-11 items-center justify-center gap-2 rounded-lg border px-4 font-medium text-sm disabled:opacity-55 sm:min-h-10'

export function Button({
  look = 'plain',
  busy = false,
  wraps = false,
  className = '',
  ...rest
}: ButtonProps): ReactElement {
  const { disabled, children, type = 'button', ...others } = rest
  return (
    <button
      {...others}
      type={type}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={`${SHAPE} ${wraps ? 'min-w-0 max-w-full py-2 [overflow-wrap:anywhere]' : 'whitespace-nowrap'} ${LOOKS[look]} ${className}`}
    >
      {children}
    </button>
  )
}
