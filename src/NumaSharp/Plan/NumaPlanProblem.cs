namespace NumaSharp.Core;

/// <summary>Why a request cannot be planned on a machine.</summary>
public sealed record NumaPlanProblem
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="setting"><see cref="Setting"/></param>
    /// <param name="value"><see cref="Value"/></param>
    /// <param name="message"><see cref="Message"/></param>
    public NumaPlanProblem(string setting, string value, string message)
    {
        Setting = setting;
        Value = value;
        Message = message;
    }

    /// <summary>
    /// The property of <see cref="NumaPlanRequest"/>; for an entry of a dictionary with its key, such as <c>Map:1</c>.
    /// </summary>
    public string Setting { get; init; }

    /// <summary>Its value, as text.</summary>
    public string Value { get; init; }

    /// <summary>What is wrong with it here, and what is allowed.</summary>
    public string Message { get; init; }

    /// <inheritdoc/>
    public override string ToString() => $"{Setting} = '{Value}': {Message}";
}
