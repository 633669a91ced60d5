namespace NumaSharp.Tool;

/// <summary>What was asked for cannot be done; the message is the one line on stderr, the exit code is 2.</summary>
internal sealed class ToolException(string message, Exception? innerException = null) : Exception(message, innerException);
