namespace NumaSharp.Tool.Commands;

/// <summary>The output of a command: for people, or for programs.</summary>
internal enum OutputFormat
{
    Text,
    Json,
}
