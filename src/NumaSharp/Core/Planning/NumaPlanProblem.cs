namespace NumaSharp.Core;

/// <summary>Why a request cannot be planned on a machine.</summary>
/// <param name="Setting">
/// The property of <see cref="NumaPlanRequest"/>; for an entry of a dictionary with its key, such as <c>Map:1</c>.
/// </param>
/// <param name="Value">Its value, as text.</param>
/// <param name="Message">What is wrong with it here, and what is allowed.</param>
public sealed record NumaPlanProblem(string Setting, string Value, string Message)
{
    /// <inheritdoc/>
    public override string ToString() => $"{Setting} = '{Value}': {Message}";
}
