using Microsoft.Extensions.Options;

namespace NumaSharp.Hosting.Configuration;

/// <summary>
/// The settings are wrong. Its text is the failures alone: where in the host they were noticed helps nobody, and the host logs
/// the text of what kept it from starting.
/// </summary>
internal sealed class NumaOptionsException(IEnumerable<string> failures)
    : OptionsValidationException(Options.DefaultName, typeof(NumaOptions), failures)
{
    public override string Message => string.Join(Environment.NewLine, Failures);

    public override string ToString() => Message;
}
