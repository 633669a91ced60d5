using System.Globalization;
using System.Text;
using NumaSharp.Core;

namespace NumaSharp.Tool.Run;

/// <summary>Our standard output and error, shared by all children. Thread-safe.</summary>
internal sealed class OutputLines
{
    private readonly Stream _output;
    private readonly Stream _error;
    private readonly Lock _outputLock = new();
    private readonly Lock _errorLock;

    /// <summary>Creates them.</summary>
    /// <param name="output">Standard output.</param>
    /// <param name="error">Standard error.</param>
    /// <param name="areOneFile">
    /// Whether both are the same file, as with <c>2>&amp;1</c>: a pipe that is full takes a part of a line, and lets others
    /// write.
    /// </param>
    public OutputLines(Stream output, Stream error, bool areOneFile = false)
    {
        _output = output;
        _error = error;
        _errorLock = areOneFile ? _outputLock : new Lock();
    }

    public LinePrefixer ForOutput(NumaNodeId nodeId) => new(_output, _outputLock, PrefixOf(nodeId));

    public LinePrefixer ForError(NumaNodeId nodeId) => new(_error, _errorLock, PrefixOf(nodeId));

    /// <summary>Says something of our own on standard error; nobody may be there to read it.</summary>
    public void Say(NumaNodeId nodeId, string message)
    {
        try
        {
            lock (_errorLock)
            {
                _error.Write([.. PrefixOf(nodeId), .. Encoding.UTF8.GetBytes($"numasharp: {message}\n")]);
                _error.Flush();
            }
        }
        catch (IOException)
        {
            // The children go on without what we have to say.
        }
    }

    private static byte[] PrefixOf(NumaNodeId nodeId) =>
        Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"[node{nodeId}] "));
}
