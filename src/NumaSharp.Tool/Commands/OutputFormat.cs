namespace NumaSharp.Tool.Commands;

/// <summary>What a command writes: for people, or for programs.</summary>
internal enum OutputFormat
{
    Text,
    Json,
}
