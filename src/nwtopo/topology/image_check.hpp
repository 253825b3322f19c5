#pragma once
/// \file
/// Whether everything that an image says holds together. A checksum proves that a file is as somebody wrote it; who
/// wrote it may have been wrong, or may have wanted a crash.

#include "ayatori/base/error.hpp"
#include "image_reader.hpp"

namespace ayatori::image {

/// Compares each record with all that it refers to, in time proportional to the image. What passes gives consistent
/// answers: parents are higher than their children and both know of each other, links lead back, every object is
/// counted once at its height, and each point of a grid has at most one child. Only the order of name_order is taken on
/// trust: if it is wrong, names are not found. Error: what does not fit, in words for whoever made the file.
[[nodiscard]] Result<> check_image(const Arrays& reader);

}  // namespace ayatori::image
