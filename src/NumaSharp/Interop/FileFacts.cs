namespace NumaSharp.Interop;

/// <summary>Type and owner of a file.</summary>
/// <param name="IsRegular">Whether it is a regular file: no folder, FIFO, socket or device.</param>
/// <param name="IsFolder">Whether it is a folder.</param>
/// <param name="User">The owner's user id.</param>
internal readonly record struct FileFacts(bool IsRegular, bool IsFolder, uint User);
