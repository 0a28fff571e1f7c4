/** A whole number between two others. */
import { Field } from './field.tsx';
import { Input } from './input.tsx';

interface NumberFieldProps {
  readonly label: string;
  readonly least: number;
  readonly most: number;
  readonly value: number;
  onChange(value: number): void;
}

export function NumberField({ label, least, most, value, onChange }: NumberFieldProps) {
  return (
    <Field label={label}>
      {(control) => (
        <Input
          {...control}
          type="number"
          required
          min={least}
          max={most}
          value={value}
          onChange={({ target }) => onChange(Number(target.value))}
        />
      )}
    </Field>
  );
}
